import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Store } from '../store.js';
import { words } from '../words/index.js';

type Theme = 'system' | 'light' | 'dark';

const KEY = 'tradepost.theme';
const THEMES = ['system', 'light', 'dark'] as const;
const dark = matchMedia('(prefers-color-scheme: dark)');

const chosen = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';

/** Changes whenever colours do, for what draws by itself. */
export const colours = new Store(nameOf(chosen()));

apply(chosen());
dark.addEventListener('change', () => apply(chosen()));

export function ThemeChoice(): JSX.Element {
  const [theme, setTheme] = useState(chosen);
  useEffect(() => {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
    apply(theme);
  }, [theme]);
  return (
    <label class="theme">
      <span class="hidden">{words.theme.label}</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {words.theme[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

function apply(theme: Theme): void {
  document.documentElement.dataset['theme'] = nameOf(theme);
  colours.set(nameOf(theme));
}

function nameOf(theme: Theme): 'light' | 'dark' {
  return theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
}
