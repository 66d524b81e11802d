import{Ha as a,Ia as b,Ja as c,Ka as d,La as e}from"./shared-2.js";export{a as Player,b as listen,d as listenToPageAround,c as openRecording,e as tellHeight};
