/** The connection to Redis for counters that every process shares. The queue has its own connections. */
import { Redis } from "ioredis";

export interface RedisConnection {
  client: Redis;
  close(): void;
}

/** Connects in the background. A command fails at once while Redis is unavailable, so that no request waits for it. */
export function openRedis(url: string, onError: (error: Error) => void): RedisConnection {
  const client = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
  client.on("error", onError);
  return { client, close: () => client.disconnect() };
}

export interface RedisServer {
  version: string;
  /** Policy by which the server removes keys when its memory is full. */
  evictionPolicy: string;
  time: Date;
}

/** The policy by which a server removes keys; undefined if it removes none, or does not report one within the time. */
export async function readEvictionPolicy(url: string, timeoutMs: number): Promise<string | undefined> {
  const policy = (await readRedisServer(url, timeoutMs))?.evictionPolicy;
  return policy === "noeviction" ? undefined : policy;
}

/** Undefined if the server does not report all of it within the time: it may not permit `INFO`. */
export async function readRedisServer(url: string, timeoutMs: number): Promise<RedisServer | undefined> {
  const redis = new Redis(url, {
    retryStrategy: () => null,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
  });
  redis.on("error", () => {});
  try {
    const [info, [seconds, microseconds]] = await Promise.all([redis.info(), redis.time()]);
    const [, version] = /^redis_version:(\S+)/m.exec(info) ?? [];
    const [, evictionPolicy] = /^maxmemory_policy:(\S+)/m.exec(info) ?? [];
    if (version === undefined || evictionPolicy === undefined) return undefined;
    const time = new Date(Number(seconds) * 1000 + Number(microseconds) / 1000);
    return { version, evictionPolicy, time };
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}
