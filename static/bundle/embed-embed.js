import{Ca as a,Da as b,Ea as c,Fa as d,Ga as e}from"./shared-2.js";export{a as Player,b as listen,d as listenToPageAround,c as openRecording,e as tellHeight};
