import{$a as e,Xa as a,Ya as b,Za as c,_a as d}from"./shared-2.js";export{a as Player,b as listen,d as listenToPageAround,c as openRecording,e as tellHeight};
