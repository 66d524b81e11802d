import{S as a,T as b,U as c,ea as d,fa as e,ga as f,ha as g}from"./shared-2.js";export{b as drawGraph,f as drawLinks,d as drawMemory,a as el,c as graphShapes,e as memoryShapes,g as staleTensors};
