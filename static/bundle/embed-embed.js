import{Va as a,Wa as b,Xa as c,Ya as d,Za as e}from"./shared-2.js";export{a as Player,b as listen,d as listenToPageAround,c as openRecording,e as tellHeight};
