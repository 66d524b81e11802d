import{Oa as a,Pa as b}from"./shared-2.js";export{a as Findings,b as isExplained};
