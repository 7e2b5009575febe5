import { bool } from '../../kit/config/readers.js';
import { setting } from '../../kit/config/setting.js';

export const UNIQUE_PETS = setting(
  'UNIQUE_PETS',
  bool,
  'false',
  'true: a pet of the sample store is one of its kind, which an open order keeps from others; false: an entry of a catalogue.',
);
