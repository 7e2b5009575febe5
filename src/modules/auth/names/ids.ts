import { IdPrefix } from '../../../domain/ids.js';

export const CLIENT_IDS = new IdPrefix('cli');
export const API_KEY_IDS = new IdPrefix('key');
export const SESSION_IDS = new IdPrefix('ses');
export const PASSKEY_IDS = new IdPrefix('psk');
