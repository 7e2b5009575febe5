import { locale } from '../words/language.js';

/**
 * What every chart is drawn with. The library draws nothing in a locale that `Intl` refuses, and
 * would put its logo in by a style of its own, which the page's policy refuses; the foot of the page names it.
 */
export function chartColours(theme: 'light' | 'dark') {
  const [text, line] = theme === 'dark' ? ['#c9d1e0', '#2a3244'] : ['#3b4558', '#e3e7ee'];
  return {
    localization: { locale: locale },
    layout: { background: { color: 'transparent' }, textColor: text, attributionLogo: false },
    grid: { vertLines: { color: line }, horzLines: { color: line } },
    rightPriceScale: { borderColor: line },
    timeScale: { borderColor: line, timeVisible: true },
  } as const;
}

/** The same as `.series-0` and so on in the styles. */
export const SERIES_COLOURS = {
  light: ['#1d4ed8', '#0a6b41', '#b3202f', '#8a5300', '#6b21a8'],
  dark: ['#8cb0ff', '#4fd39a', '#ff8a92', '#ffcf7a', '#d6b4ff'],
} as const;
