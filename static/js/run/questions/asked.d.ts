/** What a question is, as `app/questions/asked.py` has it. Ids are those of a trace, `after` and `until` are ticks. */

/** One element of a dtype that is not complex, as a trace writes it. */
export type Scalar = boolean | number | string;

/** What is known after `after`, and is asked about up to `until`. `kind` says which of the ids it has. */
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

/** Which answers are legal: `has_none`, whether "none" is one of them; `cells`, storages and how many each has. */
export interface Legal {
  form: "number" | "version" | "cell" | "counter" | "node" | "name" | "line" | "whether";
  has_none?: boolean;
  dtype?: string;
  cells?: [number, number][];
  counters?: number[];
  nodes?: number[];
  lines?: number;
}

/** What was answered. */
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

/** A question with its legal answers, as a room asks it: its truth comes when it is revealed. */
export type Posed = Pick<Asked, "question" | "legal">;

/** A question with its legal answers and its truth: each of `right` is right. */
export interface Asked {
  question: Question;
  legal: Legal;
  right: Answer[];
}
