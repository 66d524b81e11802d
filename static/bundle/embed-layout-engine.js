import{La as a}from"./shared-2.js";export{a as graphLayout};
