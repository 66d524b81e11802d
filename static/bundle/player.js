import"./shared-1.js";
//# sourceMappingURL=player.js.map
