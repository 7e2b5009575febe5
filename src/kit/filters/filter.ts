/** Of a chat message, sent or edited. */
export interface MessageText {
  readonly text: string;
}

/** Of a room, made or renamed. */
export interface RoomText {
  readonly name: string;
}

/** Of a post or a page of the blog. */
export interface PostText {
  readonly title: string;
  readonly markdown: string;
  readonly slug?: string | undefined;
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The name that the post stands under, where it is not that of who writes it. */
  readonly author?: string | undefined;
  readonly custom_excerpt?: string | undefined;
}

/** Of a piece of news; of a change of one, what it names. */
export interface NewsText {
  readonly headline?: string | undefined;
  readonly summary?: string | undefined;
  /** HTML. */
  readonly content?: string | undefined;
  readonly author?: string | undefined;
  readonly source?: string | undefined;
  readonly category?: string | undefined;
}

/** What users say of themselves; of a change, what it names. */
export interface ProfileText {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

/** Who writes in which room: a username, or `client:<client_id>`; the room's public id. */
export interface MessageFacts {
  readonly author: string;
  readonly room: string;
}

export interface RoomFacts {
  readonly author: string;
}

export interface PostFacts {
  readonly kind: 'post' | 'page';
}

export interface NewsFacts {
  /** The address of the feed that brings it; null for what an operator writes. */
  readonly feed: string | null;
}

export interface ProfileFacts {
  /** A filter may refuse it, but not change it. */
  readonly username: string;
}

/** What a filter says: accepted, perhaps with other text; or refused, with an error code that its plugin declares. */
export type FilterVerdict<Text> =
  | ({ readonly accepted: true } & Partial<Text>)
  | {
      readonly accepted: false;
      readonly code: string;
      /** Says what to do, for the person who wrote it. */
      readonly message: string;
    };

type Answer<Text> = FilterVerdict<Text> | Promise<FilterVerdict<Text>>;

/**
 * Sees what people write before it is stored, by whatever way it comes: `class NoCasino extends Filter { messages({ text })
 * { … } }`, in `filters` of the plugin. All filters of all plugins are asked in the order of `PLUGINS`, each about what the
 * one before has left; the first refusal answers. The outcome is held to the limits of the route. A filter has two
 * seconds. One that throws, takes longer or answers anything else stores nothing: 503 `temporarily_unavailable`.
 */
export abstract class Filter {
  messages?(message: MessageText & MessageFacts): Answer<MessageText>;
  rooms?(room: RoomText & RoomFacts): Answer<RoomText>;
  posts?(post: PostText & PostFacts): Answer<PostText>;
  news?(item: NewsText & NewsFacts): Answer<NewsText>;
  profiles?(profile: ProfileText & ProfileFacts): Answer<ProfileText>;
}

/** By kind: what filters may change, and what they may know beside it. */
export interface Filtered {
  readonly messages: { readonly text: MessageText; readonly facts: MessageFacts };
  readonly rooms: { readonly text: RoomText; readonly facts: RoomFacts };
  readonly posts: { readonly text: PostText; readonly facts: PostFacts };
  readonly news: { readonly text: NewsText; readonly facts: NewsFacts };
  readonly profiles: { readonly text: ProfileText; readonly facts: ProfileFacts };
}

export type FilterKind = keyof Filtered;
