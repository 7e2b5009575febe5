/** One row of the table: what was measured, and what the project promises. */
export interface Figure {
  readonly what: string;
  readonly measured: string;
  /** Empty where nothing is promised. */
  readonly goal: string;
  /** Undefined where nothing is promised. */
  readonly isMet?: boolean;
  /** The figures behind it. */
  readonly basis: string;
}

/** A ratio that has to be at least so much. */
export function ratioFigure(what: string, ratio: number, atLeast: number, basis: string): Figure {
  return { what, measured: fixed(ratio), goal: `≥ ${atLeast}`, isMet: ratio >= atLeast, basis };
}

/** What other figures are ratios of; it says nothing of another machine. */
export function rateFigure(what: string, perSecond: number, basis: string): Figure {
  return { what, measured: rate(perSecond), goal: '', basis };
}

/** A quantity that may be so much at most; `unit` with the space before it. */
export function limitFigure(
  what: string,
  value: number,
  atMost: number,
  unit: string,
  basis: string,
): Figure {
  return {
    what,
    measured: `${fixed(value)}${unit}`,
    goal: `≤ ${fixed(atMost)}${unit}`,
    isMet: value <= atMost,
    basis,
  };
}

export function fixed(figure: number): string {
  return figure >= 100 ? Math.round(figure).toLocaleString('en-US') : figure.toFixed(2);
}

/** A rate, as people read it: `4,512/s`. */
export function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString('en-US')}/s`;
}
