import { Module } from '@nestjs/common';
import { ImageEncoder } from './image-encoder.js';

/** One encoder for all groups that take images: what it may use of the machine is bounded for them together. */
@Module({ providers: [ImageEncoder], exports: [ImageEncoder] })
export class ImagesModule {}
