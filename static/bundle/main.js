import"./shared-1.js";
//# sourceMappingURL=main.js.map
