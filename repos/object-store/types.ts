import type { CredentialSource } from "./credentials.ts";
import type { StoreLocation } from "./location.ts";

export interface ObjectStoreOptions {
  location: StoreLocation;
  credentials: CredentialSource;
}

export interface StoredBytes {
  bytes: Buffer;
  /** Size of the whole object. */
  size: number;
  /** Time since the object was written, by the server's clock. */
  ageMs: number;
}

export interface ListedObject {
  key: string;
  size: number;
}

/** An uploaded part of an object, by its position. */
export type ReadPart = (offset: number, length: number) => Promise<Buffer>;

/**
 * Objects below the prefix of a bucket; keys are relative to it. Requests that fail are sent again for a while. Throws
 * `storage_unavailable`, and `storage_full` if the server has no space.
 */
export interface ObjectStore {
  /** Stores an object from memory, whole or not at all, and durable when it resolves. */
  put(key: string, bytes: readonly Buffer[]): Promise<void>;
  /**
   * Like `put`, for a key that always has the same content. An existing object is left as it is if the server supports
   * that, otherwise replaced by equal bytes.
   */
  putOnce(key: string, bytes: readonly Buffer[]): Promise<void>;
  /** Stores a large object in parts, with the same promise as `putOnce`. */
  putLarge(key: string, size: number, read: ReadPart): Promise<void>;
  /** Undefined if there is no such object. Limited to `maxBytes`. */
  get(key: string, maxBytes: number): Promise<StoredBytes | undefined>;
  /**
   * Bytes from `start`, at most `length`: fewer if the object ends before them. With `start` undefined, the last
   * `length` bytes. Undefined if there is no such object.
   */
  getRange(key: string, range: { start?: number; length: number }): Promise<StoredBytes | undefined>;
  exists(key: string): Promise<boolean>;
  /** All objects whose keys begin with the prefix, in order; with `after`, those with greater keys. */
  list(prefix: string, after?: string): AsyncGenerator<ListedObject>;
  hasAny(prefix: string): Promise<boolean>;
  /** Names of the folders directly below a prefix that ends with a slash, in order; with `after`, those behind it. */
  folders(prefix: string, after?: string): AsyncGenerator<string>;
  /** Removes objects; those that don't exist count as removed. */
  remove(keys: readonly string[]): Promise<void>;
  /** Aborts multipart uploads that are older than an age; returns their number. */
  abortUploads(olderThanMs: number): Promise<number>;
  /** Closes all connections. */
  close(): void;
}
