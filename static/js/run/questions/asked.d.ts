/**
 * The types of questions and answers, as in `app/questions/asked.py`. Ids are those of a trace; `after` and
 * `until` are ticks.
 */

/** An element of a tensor that is not complex, as a trace contains it. */
export type Scalar = boolean | number | string;

/**
 * A question about the run after `after` and up to `until`. `kind` determines which ids the question has.
 */
export interface Question {
  kind:
    | "node"
    | "sends"
    | "grad"
    | "counter"
    | "cell"
    | "value"
    | "version"
    | "grad_fn"
    | "culprit"
    | "stale_by"
    | "raises"
    | "raising_line";
  after: number;
  until: number;
  node?: number;
  edge?: number;
  tensor?: number;
  storage?: number;
  cell?: number;
  counter?: number;
  saved?: number;
}

/**
 * Which answers to a question are legal. `has_none`: whether "none" is a legal answer; `cells`: the number
 * of cells of each storage.
 */
export interface Legal {
  form: "number" | "version" | "cell" | "counter" | "node" | "name" | "line" | "whether";
  has_none?: boolean;
  dtype?: string;
  cells?: [number, number][];
  counters?: number[];
  nodes?: number[];
  lines?: number;
}

/** An answer. */
export interface Answer {
  kind: Legal["form"] | "none";
  number?: Scalar;
  version?: number;
  storage?: number;
  cell?: number;
  counter?: number;
  node?: number;
  name?: string;
  line?: number;
  whether?: boolean;
}

/** A question with its legal answers, as a room asks it. The truth arrives when it is revealed. */
export type Posed = Pick<Asked, "question" | "legal">;

/** A question with its legal answers and its truth. Every answer in `right` is right. */
export interface Asked {
  question: Question;
  legal: Legal;
  right: Answer[];
}
