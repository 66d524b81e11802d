// The array methods of ECMAScript 2023 that Node 18 has. The other methods (toSorted, toReversed, with) came
// with Node 20.
interface ReadonlyArray<T> {
  findLast<S extends T>(is: (value: T, index: number, array: readonly T[]) => value is S): S | undefined;
  findLast(is: (value: T, index: number, array: readonly T[]) => unknown): T | undefined;
  findLastIndex(is: (value: T, index: number, array: readonly T[]) => unknown): number;
}
interface Array<T> {
  findLast<S extends T>(is: (value: T, index: number, array: T[]) => value is S): S | undefined;
  findLast(is: (value: T, index: number, array: T[]) => unknown): T | undefined;
  findLastIndex(is: (value: T, index: number, array: T[]) => unknown): number;
}
