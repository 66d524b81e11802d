/**
 * The types that the modules of run/ and layout/ share. The types of a trace are in trace.d.ts.
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

/** The granularity of stepping: statements, or also Nodes of backward, or also operators. */
export type Granularity = "line" | "node" | "operator";

/**
 * One run of a Node by backward: its first and last tick, and the statement of the module's frame during
 * which it happened.
 */
export interface Run {
  node: number;
  began: number;
  ended: number;
  statement: number;
}

/**
 * A step at which the player stops. The state after a stop consists of all facts up to and including `tick`.
 */
export interface Stop {
  step: Step;
  tick: number;
  kind: "statement" | "node" | "exception" | "operator";
  /** The location of the stop in the code; null: not known. */
  span: Span | null;
  /** The stop's first line in the run's own source; 0 in another file. `end_line`: the last line. */
  line: number;
  end_line: number;
  /** The stop's line as an argument of a sentence: a number, or "layer.py:2" in another file. */
  place: number | string;
  /** How the timeline marks the stop. */
  mark: "statement" | "operator" | "view" | "write" | "node" | "accumulate" | "exception";
  /**
   * The statement of the module's frame that contains the stop. All gradients of one backward have the same
   * statement.
   */
  statement: number;
  /** The Node during whose run the step happened; null for steps outside backward. */
  node: number | null;
  /**
   * The step itself, or for an operator the step that contains it. This step has the recorded modes (grad
   * mode, autocast).
   */
  within: Step;
}

/** A recorded document with all tables, its stops, and look-ups over the tables. */
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
  /** The number of finders that did not finish. */
  unfinished: number;
  /** The token by which the visitor who ran the snippet can refer to the recording on the server. */
  recording_token?: string;
  /** The corrected gradients, shared by all granularities; null while they are not known. */
  corrected: { answer: CorrectedGradients | null };
  /** The granularity of `stops`. */
  granularity: Granularity;
  /** The indexes of the same run at the granularities that were requested so far. */
  by_granularity: Map<Granularity, Index>;
  stops: Stop[];
  /** The runs of Nodes, in the order in which they ended. */
  runs: Run[];
  /** The look-ups of records by tick, and by the records that they refer to. */
  lookups: import("./lookups.js").Lookups;
  /** For each Node, its saved tensors. */
  saved_of: SavedTensor[][];
  /**
   * For each step, the number of its stop or of the innermost step around it that has one; -1 if none has.
   */
  stop_of: Map<number, number>;
}

/**
 * What the pictures mark of the chain of a "Why?" answer: the numbers of the hops by Node and by tensor, and
 * the edges with the chain's gradients.
 */
export interface Chain {
  nodes: Map<number, number[]>;
  tensors: Map<number, number[]>;
  saved: Set<number>;
  gradients: Set<string>;
  /** Lines of the run's own source. */
  lines: Set<number>;
}

export interface Label {
  key: string;
  text: string;
  /** The frame of the variable with this name; 0 for the frame of the module. */
  frame: number;
  is_grad: boolean;
}

export interface TensorState {
  id: number;
  look: "leaf" | "result" | "plain";
  geometry: Geometry | null;
  counter: number | null;
  /** null for a tensor without a version counter (inference mode), undefined if the version is not known. */
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
  /** The first other storage that shares bytes with this storage. */
  over: number | null;
  /** Byte ranges written in this step. */
  written: [number, number][];
}

/**
 * How a saved tensor is drawn. "stale-freed": it was stale when its Node ran, and is freed now; "hidden": a
 * hook stores something else instead.
 */
export type SavedLook = "current" | "stale" | "freed" | "stale-freed" | "hidden";

export interface NodeState {
  id: number;
  freed: boolean;
  ran: boolean;
  active: boolean;
  is_new: boolean;
  labels: string[];
}

/**
 * The objects of one kind that exist at a stop, by id. An object is looked up when it is accessed for the
 * first time.
 */
export interface Lazy<T> {
  get(id: number): T | undefined;
  has(id: number): boolean;
}

/** A gradient that the running backward passed along an edge. `fresh`: whether this step passed it. */
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
  /** The gradients of the running backward, oldest first. */
  gradients: Flow[];
  /** The last gradient along an edge, "node.edge", or passed to a root Node, "root<node>". */
  arrived(edge: string): Flow | undefined;
  /** The last gradient along any of several edges. Pass the same list object at every call. */
  arrivedLast(edges: string[]): Flow | undefined;
  /** The Nodes at which the running backward began. */
  roots: number[];
  writes: Write[];
  outputs: Output[];
  is_last: boolean;
}

/**
 * An item of the memory picture that a visitor can select. `id`: the id of the name, the tensor or the
 * storage; for a gradient, the id of the tensor whose `grad` it is.
 */
export interface Subject {
  kind: "name" | "grad" | "tensor" | "storage" | "cell" | "fold";
  /** For a folded group ("fold"): the number of the group in the memory picture. */
  id: number;
  /** Only for a cell: the number of the cell in the storage. */
  cell?: number;
}

/** A stop at which an item changes, and the kinds of change. */
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
 * One execution of a loop: the loop's lines in the source, the stops at which its iterations (rounds) begin,
 * and the stop after the last iteration.
 */
export interface Loop {
  line: number;
  last_line: number;
  frame: number;
  rounds: number[];
  end: number;
}

/** A pair of items, one for each of two compared runs. */
export interface Sides<T> {
  left: T;
  right: T;
}

/**
 * A line of each of two compared sources, paired with each other. `isSame`: whether both lines have the same
 * code.
 */
export interface PairedLine extends Sides<number> {
  isSame: boolean;
}

/**
 * One step of two runs that are replayed together: the stop to which each run moves; null if the run does
 * not move.
 */
export type AlignedStep = Sides<number | null>;

/** One of two runs that are replayed together. */
export interface Compared {
  index: Index;
}

/** One of two compared runs at an aligned step. `state`: null before the run's first stop. */
export interface ComparedState extends Compared {
  state: State | null;
}

/** Two runs that are replayed as one. */
export interface Comparison<Run extends Compared = Compared> extends Sides<Run> {
  pairs: PairedLine[];
  steps: AlignedStep[];
  /** For each aligned step, the stop that each run has reached; -1 before the run's first stop. */
  reached: Sides<number[]>;
  /** The lines of each source that differ from the other source. */
  lines: Sides<Set<number>>;
  /** For each Node with a counterpart in the other run, the id of the counterpart. */
  nodes: Sides<Map<number, number>>;
}

/** A difference between two runs at an aligned step, in a name's value, a Node, or a saved tensor. */
export interface Difference {
  key: string;
  name: string;
  aspect: "values" | "version" | "counter" | "memory" | "shape" | "grad_fn" | "grad" | "node" | "saved";
  left: Sentence;
  right: Sentence;
}

/**
 * The ids of objects that differ from those of the other run; `holders`: Nodes with saved tensors that
 * differ.
 */
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
 * A Fluent message with its arguments, which may be messages, too. These are formatted first, and an array
 * of messages becomes a list such as "a and b".
 */
export interface Sentence {
  id: string;
  args: Record<string, string | number | Sentence | Sentence[]>;
}

/** The sizes in px that layouts reserve and pictures use; `most`, `grad`: in characters. */
export interface Measures {
  compact: boolean;
  /** Whether text is enlarged, so that fewer words fit. */
  terse: boolean;
  tag: { height: number; size: number; most: number; tall: number };
  card: { width: number; height: number; gap: number };
  /**
   * `across`: maximum width of large cells in px; `most`: width of the picture in px above which cells are
   * omitted; `isStrict`: cells are also omitted from matrices with few columns; `isBrief`: matrices keep one
   * column, and titles are short.
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
  /** The maximum number of characters of a gradient in the box of its leaf. */
  grad: number;
  /**
   * `perRow`: saved tensors next to each other in a box with more than four, and one more than in other
   * boxes; `along`: px between the rows of a graph; `shelf`: the width up to which components are side by
   * side; `apart`: px between them.
   */
  box: {
    least: number;
    pocket: number;
    perRow: number;
    bucket: number;
    across: number;
    along: number;
    edge: number;
    shelf: number;
    apart: number;
  };
}

/** Formats a message of the catalogue in the language of the page. */
export type Say = (id: string, args?: Record<string, string | number>) => string;

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * The kind of a group of Nodes: a call of a function of the snippet, a module, or one or several rounds of a
 * loop. Too many boxes are divided into the Nodes of one line, or a part of these Nodes. A part with line 0
 * has Nodes of several lines.
 */
export type Scope =
  | { kind: "call" | "module" | "path"; name: string }
  | { kind: "round"; line: number; round: number }
  | { kind: "line"; line: number | string }
  | { kind: "rounds"; line: number; first: number; last: number }
  | { kind: "part"; line: number | string; first: number; last: number };

/**
 * Nodes that can be folded into one box. `key` identifies the group in every layout of the run. `scopes`
 * begins with the outermost scope.
 */
export interface Group {
  key: string;
  /** The number of the group that contains this group; -1 if none does. */
  parent: number;
  scopes: Scope[];
  /** The group's first Node. */
  first: number;
}

/**
 * A leaf that never gets a gradient. `from`: the tick from which it is marked; `found`: the tick of the
 * finding; `line`: the line that cuts it off the graph, or 0 if that is not known.
 */
export interface Unreached {
  tensor: number;
  from: number;
  found: number;
  line: number | string;
  /** Whether the missing gradient may be intended. */
  isHint: boolean;
}

/** A place in the graph after which a line cuts it, for example by `.detach()`. */
export type Cut = Omit<Unreached, "tensor">;

/**
 * The box of a Node. `key` is the Node's id, or "id@use" where a shared AccumulateGrad is drawn once per use.
 */
export interface GraphBox extends Box {
  key: string;
  node: number;
  shape: "node" | "bucket" | "group" | "unreached";
  /** The height of the box itself, without the band for name tags below. */
  body: number;
  /** The positions of saved tensors within the box. */
  pockets: { id: number; x: number; y: number; width: number }[];
  /** The innermost group around the box; -1: none. */
  around: number;
  /** The folded group and its Nodes, oldest first. The box's `node` is the first of these Nodes. */
  fold: { group: number; nodes: number[] } | null;
  /** The mark below the box that a line cuts the graph there. */
  cut?: Cut;
  /** The leaf without a Node that the box stands for. `others`: how many further leaves it stands for. */
  unreached?: Unreached & { others: number };
}

/** The frame around an open group. */
export interface GraphFrame extends Box {
  group: number;
}

export interface GraphEdge {
  key: string;
  /** The Node and the number of the edge. */
  node: number;
  edge: number;
  from: string;
  /** null: the edge is None. */
  to: string | null;
  /** A polyline, or 3n + 1 cubic control points. */
  points: [number, number][];
  chip: [number, number];
  /**
   * The keys of the edges that are drawn as this one, because a folded group merges them; empty for a single
   * edge.
   */
  merged: string[];
}

/** By which kind of group the graph can be folded: by all kinds, or by one. */
export type FoldedBy = "all" | "module" | "call" | "round";

export interface GraphLayout {
  width: number;
  height: number;
  boxes: GraphBox[];
  edges: GraphEdge[];
  frames: GraphFrame[];
  /** Every group of the run, with parents first. */
  groups: Group[];
  /** By Node, the innermost group; -1: none. */
  homes: number[];
  /** Keys of the open groups. */
  open: Set<string>;
  by: FoldedBy;
  /** The kinds of groups in the run. If there are several kinds, a visitor can choose. */
  kinds: FoldedBy[];
  /** Whether the graph is too large to be drawn with every group open. */
  isOverview: boolean;
  measures: Measures;
}

export interface MemorySlot extends Box {
  tensor: number;
  /** The ticks from which and until which the tensor uses this storage. */
  from: number;
  to: number;
  depth: number;
  /** The line below the cells that shows the covered cells; null: an outline marks the covered cells. */
  ruler: Box | null;
}

export interface MemoryRow extends Box {
  key: string;
  /** null: tensors without a storage. */
  storage: number | null;
  from: number;
  /** The tick at which the row's storage is freed. */
  freed: number;
  /** The tick at which the next storage takes the row. */
  until: number;
  /** The previous storage in the row, and whether that storage was freed or only lost its names. */
  after: { storage: number; isFreed: boolean } | null;
  /** The folded group that the row stands for, or the group whose title it is; null for a storage. */
  fold: FoldedStorages | null;
  slots: MemorySlot[];
  /** The tensors of the row that are not shown. */
  others: Others | null;
  strip: Strip | null;
}

/**
 * The role of a storage in its group: its role in the module; "kept": only the graph keeps the storage
 * alive; "freed": the storage is freed.
 */
export type FoldedRole = "parameter" | "buffer" | "gradient" | "state" | "other" | "kept" | "freed";

/**
 * A folded group of storages, or the title of an open group: storages of a module, storages that only the
 * graph keeps alive, or freed storages.
 */
export interface FoldedStorages {
  group: Group;
  isOpen: boolean;
  /** The storages, with the ticks from which and until which each storage belongs to the group. */
  members: { storage: number; from: number; to: number; role: FoldedRole; name: string }[];
}

/**
 * The groups of the graph: all groups, the innermost group of each Node, and the keys of the unfolded
 * groups.
 */
export interface Folding {
  groups: Group[];
  homes: number[];
  /** undefined: those that are unfolded at first. */
  open: Set<string> | undefined;
}

/**
 * Items that are counted instead of shown: the ticks at which they begin to exist and those at which they
 * cease, each sorted.
 */
export interface Others {
  from: Float64Array;
  to: Float64Array;
}

/** Rows of storages beyond the maximum number of rows. They share one place at the bottom of the picture. */
export interface Spares {
  rows: MemoryRow[];
  /** Rows by storage; null: a tensor without a storage. */
  of: Map<number | null, MemoryRow>;
  /** The ticks from which a tensor is in a row, in order. */
  fresh: { from: number; row: MemoryRow }[];
}

/** Positions of columns or rows of cells, in px from the edge of the strip. */
export interface Axis {
  /** The slots. The slot for all omitted lines is hidden. */
  slots: { at: number; size: number; isHidden: boolean }[];
  /** By line, the index of its slot. */
  of: number[];
  length: number;
}

/** The positions of a storage's cells. */
export interface Strip extends Box {
  /** The y position of the title above the cells. */
  head: number;
  /** The size of the text of a cell. */
  size: number;
  /** Columns and lines of one matrix, and the number of matrices side by side. */
  columns: number;
  lines: number;
  beside: number;
  across: Axis;
  down: Axis;
  /** The index that is written above each matrix, if there are several matrices. */
  labels: { x: number; y: number; text: string }[];
  count: number;
  mode: "cells" | "summary";
  /**
   * The box that stands for cells at the end of the storage that no tensor of the run uses; null if there
   * are none.
   */
  unread: (Box & { count: number }) | null;
}

/** The names that a visitor hid or pinned in the memory picture, in order. */
export interface Pins {
  hidden: string[];
  pinned: string[];
}

export interface MemoryLayout {
  width: number;
  height: number;
  rows: MemoryRow[];
  /** Storages that are not shown. */
  others: Others | null;
  spares: Spares | null;
  /** The right end of the column of name tags, and the left ends of cards and strips. */
  measures: Measures;
  columns: { names: number; cards: number; card_width: number; strips: number };
  /** The groups of storages, the keys of the open groups, and the group of each storage that can fold. */
  groups: Group[];
  open: Set<string>;
  homes: Map<number, number>;
}
