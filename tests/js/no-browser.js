/** Stubs for browser objects that Node before 21 lacks: import it first. */

globalThis.navigator ??= { languages: ["en"] };
