import {
  ErrorCode,
  Filter,
  TradepostPlugin,
  type FilterVerdict,
  type MessageText,
  type ProfileText,
} from '../../src/index.js';

const NO_CASINO = new ErrorCode('no_casino_refused', 422);
const REFUSED = { accepted: false, code: NO_CASINO.code, message: 'Write about something else.' } as const;
const CASINO = /casino/iu;

/** Keeps casinos out of the chat and of people's names, and cards out of messages. */
class NoCasino extends Filter {
  override messages({ text }: MessageText): FilterVerdict<MessageText> {
    if (CASINO.test(text)) return REFUSED;
    return { accepted: true, text: text.replace(/\b(?:\d[ -]?){13,19}\b/gu, '****') };
  }

  override profiles({ firstName = '', lastName = '' }: ProfileText): FilterVerdict<ProfileText> {
    return CASINO.test(`${firstName} ${lastName}`) ? REFUSED : { accepted: true };
  }
}

@TradepostPlugin({
  name: 'no-casino',
  compatibility: '^0.1.0',
  filters: [NoCasino],
  errorCodes: [NO_CASINO],
})
export default class NoCasinoPlugin {}
