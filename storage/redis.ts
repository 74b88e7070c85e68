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

/**
 * The policy by which a server removes keys when its memory is full; undefined if it removes none, or does not respond
 * within the time.
 */
export async function readEvictionPolicy(url: string, timeoutMs: number): Promise<string | undefined> {
  const redis = new Redis(url, {
    retryStrategy: () => null,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
  });
  redis.on("error", () => {});
  const memory = await redis.info("memory").catch(() => "");
  redis.disconnect();
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1];
  return policy === "noeviction" ? undefined : policy;
}
