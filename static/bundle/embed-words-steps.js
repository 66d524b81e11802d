import{Ca as a,Da as b,Ea as c,Ia as d,Ja as e,Ka as f}from"./shared-2.js";export{b as firstShown,f as holding,d as isBrokenOff,a as openingStop,c as pointersIn,e as stepSentences};
