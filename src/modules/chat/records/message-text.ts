import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, buildMessage } from 'class-validator';

export const MESSAGE_LENGTH_MAX = 4_000;

/** Line breaks and tabs belong to what people write; other control characters only confuse who reads it. */
const CONTROL_CHARACTER = /[^\P{Cc}\n\r\t]/u;

/** A message's text: plain text of 1 to 4,000 characters, not all blank. Never interpreted as HTML. */
export function IsMessageText(): PropertyDecorator {
  const describe = ApiProperty({ type: String, minLength: 1, maxLength: MESSAGE_LENGTH_MAX });
  const check = ValidateBy({
    name: 'isMessageText',
    validator: {
      validate: (value) =>
        typeof value === 'string' &&
        value.length <= MESSAGE_LENGTH_MAX &&
        value.trim() !== '' &&
        !CONTROL_CHARACTER.test(value),
      defaultMessage: buildMessage(
        (eachPrefix) =>
          `${eachPrefix}$property must be a text of 1 to ${MESSAGE_LENGTH_MAX} characters, not all blank, with no control characters but tabs and line breaks`,
      ),
    },
  });
  return (target, property) => {
    describe(target, property);
    check(target, property);
  };
}
