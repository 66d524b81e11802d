import{a,b}from"./shared-2.js";import"./shared-1.js";export{b as Glossary,a as openTerm};
//# sourceMappingURL=later-glossary.js.map
