import{db as a,eb as b,fb as c,gb as d,hb as e}from"./shared-2.js";export{a as Player,b as listen,d as listenToPageAround,c as openRecording,e as tellHeight};
