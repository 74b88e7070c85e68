/**
 * Finds the declared route of a path. The patterns are compared by @koa/router; a tree of their segments selects the
 * few that can match, since comparing all of them takes longer than the rest of a short request.
 */
import Router from "@koa/router";
import type { Route } from "./route.ts";

export interface MatchedRoute {
  declared: Route;
  /** Decoded values of the parameters in the path. */
  params: Record<string, string>;
}

/** The methods that are offered at a path, and the form of its failures. */
interface OtherMethods {
  offered: string[];
  /** A route of the path, whose failures have its form. */
  other: Route | undefined;
}

export interface RouteTable {
  /**
   * The first declared route of the method (in upper case) and path, or the methods that are offered at the path. A
   * pattern with parameters does not apply to the path of a more specific pattern: `PUT /api/skills/resolve` is not
   * offered, rather than a call to the skill "resolve".
   */
  find(method: string, path: string): MatchedRoute | OtherMethods;
}

interface Entry {
  layer: Router["stack"][number];
  declared: Route;
  /** Position of the declaration. */
  order: number;
  /** How specific each segment of the pattern is: 2 for a literal, 1 for a parameter, 0 for the rest of the path. */
  ranks: readonly number[];
}

interface Node {
  /** Children by a literal segment in lower case, since patterns ignore case. */
  literals: Map<string, Node>;
  /** Child for segments with a parameter. */
  parameter: Node | undefined;
  /** Routes that end here. */
  ends: Entry[];
  /** Routes whose last segment takes the rest of the path. */
  rests: Entry[];
}

const newNode = (): Node => ({ literals: new Map(), parameter: undefined, ends: [], rests: [] });

export function openRouteTable(routes: readonly Route[]): RouteTable {
  const router = new Router();
  const root = newNode();
  for (const [order, declared] of routes.entries()) {
    router.register(declared.path, [declared.method], () => undefined);
    insert(root, { layer: router.stack.at(-1)!, declared, order, ranks: ranksOf(declared.path) });
  }
  return {
    find(method, path) {
      const candidates: Entry[] = [];
      collect(root, segmentsOf(path), 0, candidates);
      const offered = new Set<string>();
      let other: Route | undefined;
      for (const { layer, declared } of deepestOf(candidates, path)) {
        if (layer.methods.includes(method)) return { declared, params: paramsOf(layer, path) };
        for (const each of layer.methods) offered.add(each);
        other ??= declared;
      }
      return { offered: [...offered], other };
    },
  };
}

/** The candidates whose pattern matches the path and is not less specific than another one that does, in order. */
function deepestOf(candidates: readonly Entry[], path: string): Entry[] {
  const matching = candidates.filter(({ layer }) => layer.regexp.test(path));
  if (matching.length < 2) return matching;
  return matching
    .filter((entry) => !matching.some((other) => isMoreSpecific(other.ranks, entry.ranks)))
    .sort((a, b) => a.order - b.order);
}

/** Whether no segment of one pattern is less specific than that of the other, and one is more specific. */
function isMoreSpecific(ranks: readonly number[], others: readonly number[]): boolean {
  const isAtLeast = others.every((other, at) => (ranks[at] ?? 0) >= other);
  return isAtLeast && ranks.some((rank, at) => rank > (others[at] ?? 0));
}

const ranksOf = (pattern: string): number[] =>
  segmentsOf(pattern).map((segment) => (segment.startsWith("*") ? 0 : segment.includes(":") ? 1 : 2));

const paramsOf = (layer: Entry["layer"], path: string): Record<string, string> =>
  layer.params(path, layer.regexp.exec(path)!.slice(1));

/** Without the trailing slash that patterns ignore. */
function segmentsOf(path: string): string[] {
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  return trimmed.toLowerCase().split("/").slice(1);
}

function insert(root: Node, entry: Entry): void {
  let node = root;
  for (const segment of segmentsOf(entry.declared.path)) {
    if (segment.startsWith("*")) {
      node.rests.push(entry);
      return;
    }
    if (segment.includes(":")) node = node.parameter ??= newNode();
    else {
      const child = node.literals.get(segment) ?? newNode();
      node.literals.set(segment, child);
      node = child;
    }
  }
  node.ends.push(entry);
}

function collect(node: Node, segments: readonly string[], depth: number, found: Entry[]): void {
  found.push(...node.rests);
  const segment = segments[depth];
  if (segment === undefined) {
    found.push(...node.ends);
    return;
  }
  const literal = node.literals.get(segment);
  if (literal) collect(literal, segments, depth + 1, found);
  if (node.parameter) collect(node.parameter, segments, depth + 1, found);
}
