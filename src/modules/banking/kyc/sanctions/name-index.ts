import { jaroWinkler } from '@skyra/jaro-winkler';
import anyAscii from 'any-ascii';

/** One name that an entry of a list goes by. */
export interface ListedName {
  readonly uid: string;
  readonly name: string;
}

export interface NameMatch {
  readonly uid: string;
  /** How alike the names are, from 0 to 100. */
  readonly score: number;
}

/** Two words less alike than this have nothing to do with each other. */
const WORD_LIKENESS_MIN = 0.82;
/** Words of fewer letters are alike only where they are the same: `LI` and `LIU` are two names. */
const SHORT_WORD_LENGTH = 3;
/** The factor of the score if one name has many words that the other lacks. */
const UNMATCHED_WEIGHT = 0.15;
const WORDS_MAX = 24;

interface IndexedName {
  readonly uid: string;
  /** Places in `words`. */
  readonly words: readonly number[];
  readonly letters: number;
}

/** The words of a name in Latin capitals, whatever script it is in; apostrophes join what they stand between. */
export function wordsOf(name: string): readonly string[] {
  return anyAscii(name.normalize('NFKC'))
    .toUpperCase()
    .replace(/['’`]/g, '')
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '');
}

/**
 * The words as they are; with short ones such as `AL` or `VAN` joined with the next; and, of a name like
 * `KIM, Jong Un`, with both first names in one: others write them so.
 */
function spellingsOf(name: string): readonly (readonly string[])[] {
  const words = wordsOf(name);
  const spellings = [words];
  const joined = withShortWordsJoined(words);
  if (joined.length < words.length) spellings.push(joined);
  const [last = '', ...first] = name.split(',');
  const firstNames = wordsOf(first.join(' '));
  if (firstNames.length === 2) spellings.push([...wordsOf(last), firstNames.join('')]);
  return spellings;
}

function withShortWordsJoined(words: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let prefix = '';
  for (const [i, word] of words.entries()) {
    const isJoined = word.length <= SHORT_WORD_LENGTH && i < words.length - 1;
    if (!isJoined) joined.push(prefix + word);
    prefix = isJoined ? prefix + word : '';
  }
  return joined;
}

/**
 * Finds names that are like a given one: in any order of their words, with words missing, spelled otherwise
 * or transliterated otherwise. Each distinct word of the list is compared once with each of the name's; the
 * names themselves are then only sums.
 */
export class NameIndex {
  /** How many names there are. */
  readonly size: number;
  private readonly words: string[] = [];
  private readonly names: IndexedName[] = [];
  /** By the index of a word, the indexes of the names with it. */
  private readonly namesByWord: number[][] = [];

  constructor(listed: Iterable<ListedName>) {
    const places = new Map<string, number>();
    let size = 0;
    for (const { uid, name } of listed) {
      for (const spelling of spellingsOf(name)) this.add(uid, spelling, places);
      size++;
    }
    this.size = size;
  }

  /** The entries with a name of at least this score, best first, at most `limit`. */
  search(name: string, scoreMin: number, limit: number): readonly NameMatch[] {
    const best = new Map<string, number>();
    for (const spelling of spellingsOf(name)) {
      const asked = [...new Set(spelling)].slice(0, WORDS_MAX);
      const likeness = asked.map((word) => this.likenessOf(word));
      const listed = likeness.flatMap((like) => [...like.keys()]);
      const candidates = new Set(listed.flatMap((word) => this.namesByWord[word]!));
      for (const candidate of candidates) {
        const { uid, words, letters } = this.names[candidate]!;
        const score = Math.round(scoreOf(asked, likeness, words, this.words, letters) * 100);
        if (score >= scoreMin && score > (best.get(uid) ?? 0)) best.set(uid, score);
      }
    }
    return [...best]
      .map(([uid, score]) => ({ uid, score }))
      .sort((a, b) => b.score - a.score || (a.uid < b.uid ? -1 : 1))
      .slice(0, limit);
  }

  private add(uid: string, spelling: readonly string[], places: Map<string, number>): void {
    const distinct = [...new Set(spelling)];
    if (distinct.length === 0) return;
    const words = distinct.map((word) => this.placeOf(word, places));
    const place = this.names.push({ uid, words, letters: lettersIn(distinct) }) - 1;
    for (const word of words) this.namesByWord[word]!.push(place);
  }

  private placeOf(word: string, places: Map<string, number>): number {
    const known = places.get(word);
    if (known !== undefined) return known;
    const place = this.words.push(word) - 1;
    this.namesByWord.push([]);
    places.set(word, place);
    return place;
  }

  /** The words of the list that are like this one, and how much. */
  private likenessOf(asked: string): ReadonlyMap<number, number> {
    const like = new Map<number, number>();
    for (const [place, word] of this.words.entries()) {
      const likeness = wordLikeness(asked, word);
      if (likeness >= WORD_LIKENESS_MIN) like.set(place, likeness);
    }
    return like;
  }
}

function wordLikeness(a: string, b: string): number {
  if (a === b) return 1;
  const [short, long] = a.length < b.length ? [a.length, b.length] : [b.length, a.length];
  // Far apart in length, or too short to be sure: not worth the comparison.
  if (short < SHORT_WORD_LENGTH || long > short * 2) return 0;
  return jaroWinkler(a, b);
}

/**
 * Pairs the words, the likest first, and weighs each pair by its letters. What stays unpaired of the name with
 * fewer letters counts fully against it, what stays of the other one a little: people have more names than
 * they use.
 */
function scoreOf(
  asked: readonly string[],
  likeness: readonly ReadonlyMap<number, number>[],
  listed: readonly number[],
  words: readonly string[],
  listedLetters: number,
): number {
  const pairs: (readonly [likeness: number, asked: number, listed: number])[] = [];
  for (const [i, like] of likeness.entries()) {
    for (const word of listed) {
      const likely = like.get(word);
      if (likely !== undefined) pairs.push([likely, i, word]);
    }
  }
  pairs.sort((a, b) => b[0] - a[0]);
  const askedLeft = new Set(asked.keys());
  const listedLeft = new Set(listed);
  let alike = 0;
  let paired = 0;
  for (const [likely, i, word] of pairs) {
    if (!askedLeft.has(i) || !listedLeft.has(word)) continue;
    askedLeft.delete(i);
    listedLeft.delete(word);
    const letters = (asked[i]!.length + words[word]!.length) / 2;
    alike += likely * letters;
    paired += letters;
  }
  // One common word of several makes no person: half of the world is called so.
  const pairedCount = asked.length - askedLeft.size;
  if (pairedCount < Math.min(2, asked.length, listed.length)) return 0;
  if (pairedCount === 1 && asked.length !== listed.length) return 0;
  const askedLetters = lettersIn(asked);
  const [fewer, more] =
    askedLetters < listedLetters ? [askedLetters, listedLetters] : [listedLetters, askedLetters];
  const base = Math.min(1, alike / Math.max(fewer, paired));
  const covered = Math.min(1, paired / more);
  return base * (1 - UNMATCHED_WEIGHT * (1 - covered));
}

function lettersIn(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}
