/** A sample: one number for each feature, in the units of the training data. */
export type Row = ArrayLike<number>;

/** Why a row gets its answer. */
export interface Explanation {
  /** Index of the class. */
  answer: number;
  /** Index of the nearest prototype of that class. */
  winner: number;
  /** Index of the nearest prototype of another class; -1 if there is none. */
  rival: number;
  /** Probability of the answer. */
  sure: number;
  /** Distance to the winner. */
  near: number;
  /** Distance to the rival. */
  far: number;
  /** What each feature adds to the lead over the rival; null if features cannot be told apart. */
  lead: Float64Array | null;
  /** Share of the way to the rival at which the answer changes; null if it never does. */
  turn: number | null;
}

/** Names of the features, in the order of a row. */
export const features: string[];
/** Names of the classes. */
export const classes: string[];
/** Index of the class of a row; throws a RangeError for a wrong length or a number that is not finite. */
export function predictIndex(row: Row): number;
/** Name of the class of a row. */
export function predict(row: Row): string;
/** Probability of each class of a row. */
export function probabilities(row: Row): number[];
/** The answer with its reasons. */
export function explain(row: Row): Explanation;
/** Reads another model from the document that this module holds. */
export function readModel(doc: object): object;
