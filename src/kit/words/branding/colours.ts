import { type Branding, type Colours } from './branding.js';
import { contrast, CONTRAST_MIN } from './contrast.js';

/** What the console and the pages are drawn with where nothing else is chosen; the console's styles have the same. */
export const OWN_COLOURS = {
  light: {
    surface: '#ffffff',
    raised: '#f6f8fb',
    line: '#d9dfe9',
    text: '#131a28',
    quiet: '#56617a',
    accent: '#1d4ed8',
    'on-accent': '#ffffff',
  },
  dark: {
    surface: '#0e131d',
    raised: '#171e2b',
    line: '#2a3447',
    text: '#e8ecf4',
    quiet: '#a3aec3',
    accent: '#8cb0ff',
    'on-accent': '#0b1220',
  },
} as const satisfies Branding['colours'];

/** Which colours are text on which. */
const TEXT_ON = [
  ['text', 'surface'],
  ['text', 'raised'],
  ['quiet', 'surface'],
  ['quiet', 'raised'],
  ['accent', 'surface'],
  ['accent', 'raised'],
  ['on-accent', 'accent'],
] as const;

/** The first pair of colours that people could not read, in words; undefined where there is none. */
export function unreadablePair(scheme: 'light' | 'dark', colours: Colours): string | undefined {
  const all = { ...OWN_COLOURS[scheme], ...colours };
  for (const [text, ground] of TEXT_ON) {
    const found = contrast(all[text], all[ground]);
    if (found >= CONTRAST_MIN) continue;
    return `colours.${scheme}: "${text}" ${all[text]} on "${ground}" ${all[ground]} has a contrast of ${found.toFixed(2)}, and text needs ${CONTRAST_MIN}`;
  }
  return undefined;
}

export function hasColours({ colours }: Branding): boolean {
  return Object.keys(colours.light).length + Object.keys(colours.dark).length > 0;
}

/** The operator's colours as rules for a style sheet, empty where none is chosen. `dark` selects what is dark. */
export function colourRules(
  { colours: { light, dark } }: Branding,
  darkRule: (rule: string) => string,
): string {
  const rules = (colours: Colours): string =>
    Object.entries(colours)
      .map(([name, colour]) => `--${name}: ${colour};`)
      .join(' ');
  return [
    Object.keys(light).length === 0 ? '' : `:root { ${rules(light)} }\n`,
    Object.keys(dark).length === 0 ? '' : `${darkRule(rules(dark))}\n`,
  ].join('');
}
