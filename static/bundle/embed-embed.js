import{Ja as a,Ka as b,La as c,Ma as d,Na as e}from"./shared-2.js";export{a as Player,b as listen,d as listenToPageAround,c as openRecording,e as tellHeight};
