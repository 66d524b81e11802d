import{Ga as a,Ha as b,Ia as c,Ja as d,Ka as e}from"./shared-2.js";export{a as Player,b as listen,d as listenToPageAround,c as openRecording,e as tellHeight};
