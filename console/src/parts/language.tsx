import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { wordsOf } from '../live.js';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { choose, language, languages } from '../words/language.js';
import { Failure } from './notice.jsx';

/** The choice of a language, which counts for this browser, and for the mails and other browsers of who is logged in. */
export function LanguageChoice(): JSX.Element | null {
  const [failure, setFailure] = useState<string>();
  if (Object.keys(languages).length < 2) return null;
  const change = async (tag: string): Promise<void> => {
    const { client, user } = session.value;
    try {
      if (user?.username != null) {
        const params = { path: { username: user.username } };
        await client.put('/user/{username}', { params, body: { language: tag } });
      }
      choose(tag);
    } catch (error) {
      setFailure(wordsOf(error));
    }
  };
  return (
    <label class="language">
      <span>{words.language}</span>
      <select value={language} onChange={(event) => void change(event.currentTarget.value)}>
        {Object.entries(languages).map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
      {failure !== undefined && <Failure text={failure} />}
    </label>
  );
}
