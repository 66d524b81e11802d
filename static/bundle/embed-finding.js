import{La as a,Ma as b}from"./shared-2.js";export{a as Findings,b as isExplained};
