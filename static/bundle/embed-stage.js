import{U as a,V as b,W as c,ga as d,ha as e,ia as f,ja as g}from"./shared-2.js";export{b as drawGraph,f as drawLinks,d as drawMemory,a as el,c as graphShapes,e as memoryShapes,g as staleTensors};
