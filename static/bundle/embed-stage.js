import{T as a,U as b,V as c,fa as d,ga as e,ha as f,ia as g}from"./shared-2.js";export{b as drawGraph,f as drawLinks,d as drawMemory,a as el,c as graphShapes,e as memoryShapes,g as staleTensors};
