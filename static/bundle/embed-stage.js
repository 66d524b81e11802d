import{O as a,P as b,Q as c,aa as d,ba as e,ca as f,da as g}from"./shared-2.js";export{b as drawGraph,f as drawLinks,d as drawMemory,a as el,c as graphShapes,e as memoryShapes,g as staleTensors};
