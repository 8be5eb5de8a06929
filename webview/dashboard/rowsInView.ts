/** Heights of a row: of one line, and of two. */
export const ROW_PX = 30;
export const TALL_ROW_PX = 46;
/** Rows are requested in whole windows, so that a short scroll needs no request. */
const STEP = 20;

/** Rows of one request. */
export interface Window {
  readonly from: number;
  readonly count: number;
}

/** The rows in view, with some above and below; never more than four windows beyond those that fit. */
export function rowsInView(scrollTop: number, height: number, all: number, rowPx = ROW_PX): Window {
  const first = Math.floor(scrollTop / rowPx);
  const last = Math.ceil((scrollTop + height) / rowPx);
  const from = Math.max(0, Math.floor(first / STEP - 1) * STEP);
  const to = Math.min(all, Math.ceil(last / STEP + 1) * STEP);
  return { from, count: Math.max(0, to - from) };
}
