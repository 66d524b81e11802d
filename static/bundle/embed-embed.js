import{fb as a,gb as b,hb as c,ib as d,jb as e}from"./shared-2.js";export{a as Player,b as listen,d as listenToPageAround,c as openRecording,e as tellHeight};
