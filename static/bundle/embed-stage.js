import{$ as c,Z as a,_ as b,ma as d,na as e,oa as f,pa as g}from"./shared-2.js";export{b as drawGraph,f as drawLinks,d as drawMemory,a as el,c as graphShapes,e as memoryShapes,g as staleTensors};
