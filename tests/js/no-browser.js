/** Stubs for browser objects that Node lacks before version 21. Import it first. */

globalThis.navigator ??= { languages: ["en"] };
