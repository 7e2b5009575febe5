import type { JSX } from 'preact';
import { useLoaded } from '../live.js';
import { session } from '../session.js';
import { Store, useStore } from '../store.js';
import { words } from '../words/index.js';
import { Choice } from './field.jsx';

/** Whose money the pages show: the caller's own account until another is chosen. */
export const chosenAccount = new Store('me');
session.subscribe(() => chosenAccount.set('me'));

/** Shown only to those who have several accounts. */
export function AccountChoice(): JSX.Element | null {
  const chosen = useStore(chosenAccount);
  const { client, user } = useStore(session);
  const { value: accounts } = useLoaded(user?.sub ?? null, async (signal) => {
    const { data } = await client.get('/accounts', { params: { query: { limit: 200 } }, signal });
    return data;
  });
  if (accounts === undefined || accounts.length < 2) return null;
  const own = user?.account_id ?? null;
  const names = accounts.map(({ account_id: id, name }): [string, string] => [
    id === own ? 'me' : id,
    `${name} (${id})`,
  ]);
  return (
    <Choice
      label={words.account}
      value={chosen}
      options={Object.fromEntries(names)}
      onChange={(account) => chosenAccount.set(account)}
    />
  );
}
