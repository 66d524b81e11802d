/** Stands for what a browser has and Node before 21 has not: import it before what asks for it. */

globalThis.navigator ??= { languages: ["en"] };
