import{Graphviz as a}from"../vendor/graphviz.js";var r=a.load();r.then(()=>self.postMessage({ready:!0}),s=>self.postMessage({error:String(s)}));self.onmessage=async({data:s})=>{try{let e=await r,o=s.sources.map(t=>e.layout(t,"json","dot"));self.postMessage({number:s.number,answers:o})}catch(e){self.postMessage({error:String(e)})}};
//# sourceMappingURL=graphviz.worker.js.map
