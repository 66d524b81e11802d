/** What ui.js exports. One file, because a second copy of Preact beside the signals makes them stop updating without a word. */
export {
  Component, Fragment, cloneElement, createContext, createElement, createRef, h, hydrate, isValidElement, options, render,
  toChildArray,
} from "preact";
export {
  useCallback, useContext, useDebugValue, useEffect, useErrorBoundary, useId, useImperativeHandle, useLayoutEffect, useMemo,
  useReducer, useRef, useState,
} from "preact/hooks";
export {
  Signal, action, batch, computed, createModel, effect, signal, untracked, useComputed, useSignal, useSignalEffect,
} from "@preact/signals";

export type {
  Attributes, ComponentChild, ComponentChildren, ComponentClass, ComponentProps, ComponentType, Context, FunctionComponent,
  JSX, Key, Ref, RefCallback, RefObject, RenderableProps, VNode,
} from "preact";
export type {
  Dispatch, EffectCallback, Inputs, Reducer, StateUpdater,
} from "preact/hooks";
export type { ReadonlySignal } from "@preact/signals";
