/**
 * The types of the player: what the modules of run/ and layout/ hand to each other. Those of a trace are in
 * trace.d.ts.
 */
import type {
  Contents,
  CorrectedGradients,
  Ended,
  File,
  Finding,
  Frame,
  Geometry,
  Gradient,
  Header,
  Hook,
  Module,
  Name,
  Node,
  Output,
  SavedTensor,
  Span,
  Step,
  Storage,
  Tensor,
  Variable,
  VersionCounter,
  Write,
} from "./trace.d.ts";

/** How finely a run is stepped through: by statements, also by Nodes of backward, also by operators. */
export type Granularity = "line" | "node" | "operator";

/** One run of a Node by backward: its ticks, and the statement of the outermost frame around it. */
export interface Run {
  node: number;
  began: number;
  ended: number;
  statement: number;
}

/** A step at which the player stops. The state after it is every fact up to and including `tick`. */
export interface Stop {
  step: Step;
  tick: number;
  kind: "statement" | "node" | "exception" | "operator";
  /** Where it stands; null where nothing is known of that. */
  span: Span | null;
  /** Its lines in the run's own source; 0 in another file. */
  line: number;
  end_line: number;
  /** Its line as a sentence takes it: a number, of another file "layer.py:2". */
  place: number | string;
  /** How it is drawn on the timeline. */
  mark: "statement" | "operator" | "view" | "write" | "node" | "accumulate" | "exception";
  /** The statement of the outermost frame around it; gradients of one backward have the same. */
  statement: number;
  /** The Node that the step is, or is part of. */
  node: number | null;
  /** The statement, Node or exception that the step is, or is part of; it records the modes. */
  within: Step;
}

/** A document with every table present, its stops, and the look-ups that the player needs. */
export interface Index {
  source: string;
  header: Header;
  files: File[];
  steps: Step[];
  frames: Frame[];
  outputs: Output[];
  names: Name[];
  variables: Variable[];
  tensors: Tensor[];
  storages: Storage[];
  version_counters: VersionCounter[];
  writes: Write[];
  modules: Module[];
  nodes: Node[];
  saved_tensors: SavedTensor[];
  gradients: Gradient[];
  hooks: Hook[];
  ended: Ended;
  end_arguments: Record<string, string | number>;
  findings: Finding[];
  /** How many finders did not come to their end. */
  unfinished: number;
  /** What names the recording to the server, for the visitor who ran it. */
  recording_token?: string;
  /** The corrected gradients; null: not known, or not yet. The same at every granularity. */
  corrected: { answer: CorrectedGradients | null };
  /** How the stops were chosen. */
  granularity: Granularity;
  /** The same run at every granularity that was asked for so far. */
  by_granularity: Map<Granularity, Index>;
  stops: Stop[];
  /** The runs of Nodes, in the order in which they ended. */
  runs: Run[];
  /** Records by tick, and by what they refer to. */
  lookups: import("./lookups.js").Lookups;
  /** Saved tensors by Node. */
  saved_of: SavedTensor[][];
  /** The number of the stop of a step, or of the step in which it ran; -1 where it is before all stops. */
  stop_of: Map<number, number>;
}

/** What the answer to "Why?" passes: by Node and tensor the numbers of its hops; the edges of gradients. */
export interface Chain {
  nodes: Map<number, number[]>;
  tensors: Map<number, number[]>;
  saved: Set<number>;
  gradients: Set<string>;
  /** Of the run's own source. */
  lines: Set<number>;
}

export interface Label {
  key: string;
  text: string;
  /** The frame of the name; that of the module is 0. */
  frame: number;
  is_grad: boolean;
}

export interface TensorState {
  id: number;
  look: "leaf" | "result" | "plain";
  geometry: Geometry | null;
  counter: number | null;
  /** null: no counter (inference); undefined: unknown. */
  version: number | null | undefined;
  is_bumped: boolean;
  is_new: boolean;
  base: number | null;
  grad: number | null;
  node: number | null;
  labels: Label[];
  type: string;
}

export interface StorageState {
  id: number;
  nbytes: number;
  contents: Contents | null;
  before: Contents | null;
  freed: boolean;
  is_written: boolean;
  /** The first other storage that shares bytes with it. */
  over: number | null;
  /** Byte ranges written in this step. */
  written: [number, number][];
}

/** "stale-freed": it was stale when its Node ran, and is freed since. */
export type SavedLook = "current" | "stale" | "freed" | "stale-freed" | "hidden";

export interface NodeState {
  id: number;
  freed: boolean;
  ran: boolean;
  active: boolean;
  is_new: boolean;
  labels: string[];
}

/** What exists at a stop, by id; looked up at the first question. */
export interface Lazy<T> {
  get(id: number): T | undefined;
  has(id: number): boolean;
}

/** A gradient of the backward that runs; `fresh`: it was passed in this step. */
export interface Flow {
  gradient: Gradient;
  fresh: boolean;
}

export interface State {
  k: number;
  stop: Stop;
  tick: number;
  before: number;
  tensors: Lazy<TensorState>;
  storages: Lazy<StorageState>;
  nodes: Lazy<NodeState>;
  saved: Lazy<SavedLook>;
  /** The gradients of the backward that runs, oldest first. */
  gradients: Flow[];
  /** The last gradient along an edge, "node.edge", or passed to a root Node, "root<node>". */
  arrived(edge: string): Flow | undefined;
  /** The last gradient along any of several edges: the same list at every call. */
  arrivedLast(edges: string[]): Flow | undefined;
  /** The Nodes at which this backward began. */
  roots: number[];
  writes: Write[];
  outputs: Output[];
  is_last: boolean;
}

/**
 * What a visitor follows through a run. `id`: of the name; of the tensor that has the gradient; of the tensor;
 * of the storage.
 */
export interface Subject {
  kind: "name" | "grad" | "tensor" | "storage" | "cell" | "fold";
  /** Of a fold its number among the groups of the memory picture. */
  id: number;
  /** Of a cell only: its number in the storage. */
  cell?: number;
}

/** A stop at which a subject changes, and what changes. */
export interface Change {
  k: number;
  what: (
    | "made"
    | "bound"
    | "unbound"
    | "written"
    | "version"
    | "geometry"
    | "grad"
    | "grad_fn"
    | "requires_grad"
    | "resized"
    | "moved"
    | "freed"
    | "gone"
  )[];
}

/**
 * One entry into a loop: its lines in the source, the stops at which its rounds begin, the stop after the last
 * round.
 */
export interface Loop {
  line: number;
  last_line: number;
  frame: number;
  rounds: number[];
  end: number;
}

/** Two things that are side by side. */
export interface Sides<T> {
  left: T;
  right: T;
}

/** Aligned lines of two sources; `isSame`: they have the same code. */
export interface PairedLine extends Sides<number> {
  isSame: boolean;
}

/**
 * One step of two runs that are stepped through together: a stop of each; null: that run stays where it was.
 */
export type AlignedStep = Sides<number | null>;

/** One of two runs that are stepped through together. */
export interface Compared {
  index: Index;
}

/** One of them at a stop; `state`: null before its first. */
export interface ComparedState extends Compared {
  state: State | null;
}

/** Two runs that are stepped through as one. */
export interface Comparison<Run extends Compared = Compared> extends Sides<Run> {
  pairs: PairedLine[];
  steps: AlignedStep[];
  /** Up to which stop each run is, at each aligned step; -1 before its first. */
  reached: Sides<number[]>;
  /** Lines that are other than on the other side. */
  lines: Sides<Set<number>>;
  /** The partner of each Node that has one. */
  nodes: Sides<Map<number, number>>;
}

/** In what two runs differ at an aligned step: of what a name reaches, of a Node, of what it saved. */
export interface Difference {
  key: string;
  name: string;
  aspect: "values" | "version" | "counter" | "memory" | "shape" | "grad_fn" | "grad" | "node" | "saved";
  left: Sentence;
  right: Sentence;
}

/** The ids of what differs from the other run; `holders`: the Nodes that saved what differs. */
export interface Marked {
  tensors: Set<number>;
  storages: Set<number>;
  saved: Set<number>;
  nodes: Set<number>;
  holders: Set<number>;
}

/** A Fluent message and its arguments. */
export interface Message {
  id: string;
  args: Record<string, string | number>;
}

/**
 * A Fluent message and its arguments. Arguments that are sentences are formatted first; several make a list.
 */
export interface Sentence {
  id: string;
  args: Record<string, string | number | Sentence | Sentence[]>;
}

/** The sizes in px that layouts reserve and pictures keep to; `most`, `grad`: characters. */
export interface Measures {
  compact: boolean;
  /** Whether larger letters leave room for fewer words. */
  terse: boolean;
  tag: { height: number; size: number; most: number; tall: number };
  card: { width: number; height: number; gap: number };
  /**
   * `across`: px of cells up to which they are large; `most`: px of the picture before cells are left out;
   * `isStrict`: also of matrices with few columns; `isBrief`: all but one column, and titles are short.
   */
  memory: {
    reach: number;
    span: number;
    least: number;
    beside: number;
    across: number;
    most: number;
    isStrict: boolean;
    isBrief: boolean;
  };
  /** The most characters of a gradient in its bucket. */
  grad: number;
  /**
   * `along`: px between the rows of a graph; `shelf`: the width up to which its parts stand side by side;
   * `apart`: px between these.
   */
  box: {
    least: number;
    pocket: number;
    bucket: number;
    across: number;
    along: number;
    edge: number;
    shelf: number;
    apart: number;
  };
}

/** Says a message of the catalogue in the language of the page. */
export type Say = (id: string, args?: Record<string, string | number>) => string;

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * What a group of Nodes is: a call of a function of the snippet, a module, one round of a loop, or several;
 * where these leave too many boxes, all that one line made, or a part of it. A part of line 0 is of several
 * lines.
 */
export type Scope =
  | { kind: "call" | "module" | "path"; name: string }
  | { kind: "round"; line: number; round: number }
  | { kind: "line"; line: number | string }
  | { kind: "rounds"; line: number; first: number; last: number }
  | { kind: "part"; line: number | string; first: number; last: number };

/** Nodes that are folded together. `key` is the same for the whole run; `scopes` are outermost first. */
export interface Group {
  key: string;
  /** The number of the group around it; -1: none. */
  parent: number;
  scopes: Scope[];
  /** Its first Node. */
  first: number;
}

/**
 * A leaf that never gets a gradient: from which tick on that is shown, at which it is found, and the line that
 * cuts it off; 0: not known.
 */
export interface Unreached {
  tensor: number;
  from: number;
  found: number;
  line: number | string;
  /** Whether that may be meant. */
  isHint: boolean;
}

/** Where a line cuts the graph, shown from a tick on. */
export type Cut = Omit<Unreached, "tensor">;

/**
 * The box of a Node. `key` is the Node's id, or "id@use" where a shared AccumulateGrad is drawn once per use.
 */
export interface GraphBox extends Box {
  key: string;
  node: number;
  shape: "node" | "bucket" | "group" | "unreached";
  /** Height of the box itself; below it is a band for name tags. */
  body: number;
  /** Places of pockets within the box, by saved tensor. */
  pockets: { id: number; x: number; y: number; width: number }[];
  /** The innermost group around it; -1: none. */
  around: number;
  /** The folded group and its Nodes, oldest first; `node` is the first of them. */
  fold: { group: number; nodes: number[] } | null;
  /** Below it, where the graph is cut. */
  cut?: Cut;
  /** A leaf without a Node; `others`: how many more there are, counted in its place. */
  unreached?: Unreached & { others: number };
}

/** The frame around an open group. */
export interface GraphFrame extends Box {
  group: number;
}

export interface GraphEdge {
  key: string;
  /** Node and edge number it starts at. */
  node: number;
  edge: number;
  from: string;
  /** null: the edge is None. */
  to: string | null;
  /** Polyline or cubic control points (3n + 1 of them). */
  points: [number, number][];
  chip: [number, number];
  /** Keys of the edges that a fold joins; empty where it is a single edge. */
  merged: string[];
}

/** What groups are: everything that is one, or one kind of it. */
export type FoldedBy = "all" | "module" | "call" | "round";

export interface GraphLayout {
  width: number;
  height: number;
  boxes: GraphBox[];
  edges: GraphEdge[];
  frames: GraphFrame[];
  /** Every group of the run, each after the one around it. */
  groups: Group[];
  /** By Node, the innermost group; -1: none. */
  homes: number[];
  /** Keys of those that are open. */
  open: Set<string>;
  by: FoldedBy;
  /** The kinds of groups that the run has: where there are several, a visitor chooses. */
  kinds: FoldedBy[];
  /** Whether it is too large to be drawn with every group open. */
  isOverview: boolean;
  measures: Measures;
}

export interface MemorySlot extends Box {
  tensor: number;
  /** From which tick and until which tick the tensor uses this storage. */
  from: number;
  to: number;
  depth: number;
  /** Where the cells that it covers are drawn when not as an outline around those of the storage. */
  ruler: Box | null;
}

export interface MemoryRow extends Box {
  key: string;
  /** null: tensors without a storage. */
  storage: number | null;
  from: number;
  /** The tick at which its storage is freed. */
  freed: number;
  /** The tick at which the storage after it takes its place. */
  until: number;
  /** The storage before it in its place, and whether it was freed, or only its names are gone. */
  after: { storage: number; isFreed: boolean } | null;
  /** The group that it stands for. */
  fold: FoldedStorages | null;
  slots: MemorySlot[];
  /** Its tensors beyond those that are shown. */
  others: Others | null;
  strip: Strip | null;
}

/**
 * What a storage is to the module that it folds with; "kept": it folds because only the graph keeps it; "freed":
 * because it is freed.
 */
export type FoldedRole = "parameter" | "buffer" | "gradient" | "state" | "other" | "kept" | "freed";

/**
 * Storages of a module, those that only the graph keeps alive, or freed ones: a folded group of them, or the title
 * of an open one.
 */
export interface FoldedStorages {
  group: Group;
  isOpen: boolean;
  /** From which tick each belongs to the group, and until which. */
  members: { storage: number; from: number; to: number; role: FoldedRole; name: string }[];
}

/** The groups of the graph, the innermost of each Node, and the keys of those whose storages are shown. */
export interface Folding {
  groups: Group[];
  homes: number[];
  /** undefined: those that are open at first. */
  open: Set<string> | undefined;
}

/** What is counted instead of shown: from which ticks and until which ticks it exists, each in order. */
export interface Others {
  from: Float64Array;
  to: Float64Array;
}

/** The rows of storages beyond those that are shown, all in one place at the foot. */
export interface Spares {
  rows: MemoryRow[];
  /** By storage; null: a tensor without one. */
  of: Map<number | null, MemoryRow>;
  /** From which tick a tensor is in which row, in order. */
  fresh: { from: number; row: MemoryRow }[];
}

/** Where columns or rows of cells are, in px from the edge of the strip. */
export interface Axis {
  /** Each place; one that stands for all lines between the ends is hidden. */
  slots: { at: number; size: number; isHidden: boolean }[];
  /** By line, its place among them. */
  of: number[];
  length: number;
}

/** Where the cells of a storage are. */
export interface Strip extends Box {
  /** The y of its title, above the outlines of all windows. */
  head: number;
  /** The size of the text of a cell. */
  size: number;
  /** Of one matrix, and how many matrices are side by side. */
  columns: number;
  lines: number;
  beside: number;
  across: Axis;
  down: Axis;
  /** The index of each matrix of many, above it. */
  labels: { x: number; y: number; text: string }[];
  count: number;
  mode: "cells" | "summary";
  /** The cells behind these that no tensor of the run ever reads, in one place. */
  unread: (Box & { count: number }) | null;
}

/** Names that a visitor hid in the memory picture, and those that they pinned, in order. */
export interface Pins {
  hidden: string[];
  pinned: string[];
}

export interface MemoryLayout {
  width: number;
  height: number;
  rows: MemoryRow[];
  /** Storages beyond those that are shown. */
  others: Others | null;
  spares: Spares | null;
  /** Right end of the column of name tags, left end of the cards, of the strips. */
  measures: Measures;
  columns: { names: number; cards: number; card_width: number; strips: number };
  /** The groups of storages, the keys of those that are open, and of each storage that folds its group. */
  groups: Group[];
  open: Set<string>;
  homes: Map<number, number>;
}
