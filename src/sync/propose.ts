/**
 * Pull-request mode: what would be pushed to the connected branch goes to a branch of our own, and one pull request from
 * there is kept up to date. That branch's tree is the connected branch's with our edits; nothing is forced, since each
 * commit has the branch's tip as a parent, and the connected branch where that has moved. Bases are left to what the
 * connected branch holds: a skill that is only proposed is looked at again by every sync.
 *
 * What a commit proposes, and its id, are in the books before it is pushed. A stop after that leaves a tip that is known.
 */
import { createHash } from "node:crypto";
import { RepoError } from "../../repos/errors.ts";
import type { Built, CommitFacts, MirrorEdit, Onto } from "../../repos/mirror/types.ts";
import type { SyncBase } from "../../storage/sync-bases.ts";
import type { ProposalDoc, ProposedCommit } from "../../storage/sync-proposals.ts";
import type { SyncProposed } from "../../storage/sync-proposed.ts";
import {
  bytesOf,
  commitInfo,
  editsOf,
  noteBases,
  pushBatches,
  type Destination,
  type ExportFacts,
} from "./export.ts";
import { isPush, type SkillExport } from "./plan-export.ts";
import { closeRequest, keepRequest, requestTrouble, wordsOf } from "./pull-request.ts";
import { between, ownerOfTip, type Standing, type TipOwner } from "./standing.ts";
import { SyncBlocked, type SyncWork } from "./work.ts";

/** Commits of ours that are known again. */
const commitsKept = 50;
/** Contents of one skill; one that is taken up later than that is taken for an edit. */
const contentsKept = 50;
/** No revision is this: what is only proposed stays news, whatever asked for it. */
const unseenRevision = -1;

/** Proposes what is to be pushed. Answers the connected branch's commit, or `moved` when somebody pushed to our branch. */
export async function propose(
  work: SyncWork,
  steps: readonly SkillExport[],
  facts: ExportFacts,
  standing: Standing,
): Promise<{ commit: string | null } | "moved"> {
  await noteBases(
    work,
    steps.filter((step) => !isPush(step)),
  );
  const { parent } = facts;
  if (parent === null)
    throw new SyncBlocked(
      "branch_missing",
      `The repository is empty, so nothing can be proposed to it: push a first commit to ${work.connection.branch}.`,
    );
  const wanted = steps.filter((step) => isPush(step));
  const owner = await ownerOfTip(work, standing, parent);
  const base = await work.mirror.look(parent);
  if (owner === "moved" || !base) return "moved";
  const proposal = new Proposal(work, facts, standing, parent, base, wanted);

  const isForeign = owner.kind === "foreign" && !hasEnded(standing);
  if (isForeign && !(await proposal.isTheSame(owner.facts?.tree)))
    return proposal.leave(proposal.isEmpty ? "none" : "edited");
  if (await proposal.isDeclined()) return proposal.leave("closed");
  await proposal.start(owner, isForeign);
  if ((await pushBatches(work, proposal.ordered, facts, proposal)) === "moved") return "moved";
  await proposal.settle();
  return { commit: parent };
}

/** Whether the request with somebody's commits in it is over. */
function hasEnded({ request, tip }: Standing): boolean {
  return request !== undefined && request.state !== "open" && request.commit === tip;
}

class Proposal implements Destination {
  readonly branch: string;
  readonly wayOut = "allow them";
  readonly indexWithEach = true;
  ordered: readonly SkillExport[] = [];
  readonly #work: SyncWork;
  readonly #facts: ExportFacts;
  readonly #standing: Standing;
  readonly #parent: string;
  readonly #wanted: readonly SkillExport[];
  #books: ProposalDoc;
  #next: { parent: string; onto: Onto };
  /** Of the connected branch. */
  readonly #base: CommitFacts;
  #held = new Set<SkillExport>();
  #carried: SkillExport[] = [];
  #tip: string | null;
  #tree = "";
  #isPushed = false;

  constructor(
    work: SyncWork,
    facts: ExportFacts,
    standing: Standing,
    parent: string,
    base: CommitFacts,
    wanted: readonly SkillExport[],
  ) {
    const { books, branch, tip } = standing;
    this.#base = base;
    this.branch = branch;
    this.#work = work;
    this.#facts = facts;
    this.#standing = standing;
    this.#parent = parent;
    this.#wanted = wanted;
    this.#tip = tip;
    this.#next = { parent, onto: { tip, parents: [parent] } };
    const { _id, tenantId, lease } = work.connection;
    const known = { ...books, _id, tenantId, branch, fence: lease!.fence, updatedAt: work.app.now() };
    this.#books = { state: "none", commits: [], skills: 0, ...known };
  }

  /** Whether what is proposed is the tree that is given: then it is ours, whoever made the commit. */
  async isTheSame(tree: string | undefined): Promise<boolean> {
    const built = await this.#trial();
    this.#tree = built.tree;
    return built.tree === tree;
  }

  /** Whether nobody is asked anything: the connected branch has it all, and no request is open. */
  get isEmpty(): boolean {
    return this.#tree === this.#base.tree && this.#standing.request?.state !== "open";
  }

  /** A person has closed the request for just this. A sync that is asked for by hand proposes it again. */
  async isDeclined(): Promise<boolean> {
    const { request, books } = this.#standing;
    if (request?.state !== "closed" || books?.request?.number !== request.number || this.#work.full)
      return false;
    return books.digest === (await this.#digest());
  }

  /** Leaves branch and request as they are. */
  async leave(state: "none" | "edited" | "closed"): Promise<{ commit: string }> {
    await this.#save({ state, skills: this.#wanted.length, ...this.#known() });
    return { commit: this.#parent };
  }

  /** `isSame`: the tip holds just what is proposed. */
  async start(owner: TipOwner, isSame: boolean): Promise<void> {
    const { mirror } = this.#work;
    const parent = this.#parent;
    const { tip, request } = this.#standing;
    if (tip !== null) {
      // An open request was not merged, and need not be looked for in the history.
      const isMerged = request?.state !== "open" && (await mirror.descends(parent, tip));
      const entry = isMerged ? undefined : await this.#entryOf(tip, owner, isSame);
      const { builtOn, base, skills } = entry ?? { builtOn: null, base: null, skills: null };
      const parents = isMerged ? [parent] : builtOn === parent ? [tip] : [tip, parent];
      const known = skills !== null && base === this.#base.skills ? { skills } : {};
      this.#next = { parent, onto: { tip, parents, ...known } };
      await this.#findHeld(tip);
    }
    this.ordered = this.#wanted.toSorted((a, b) => Number(this.#held.has(b)) - Number(this.#held.has(a)));
  }

  next(): { parent: string; onto: Onto } {
    return this.#next;
  }

  bytesOf(step: SkillExport): number {
    return this.#held.has(step) ? 0 : bytesOf(step, this.#facts);
  }

  async announce(batch: readonly SkillExport[], { prepared, skills }: Built): Promise<void> {
    await this.#noteContents(batch);
    await this.#keepLooking(batch);
    if (!prepared) return;
    const entry = {
      commit: prepared.commit,
      skills,
      builtOn: this.#parent,
      base: this.#base.skills,
    };
    await this.#save({ commits: [...this.#books.commits, entry].slice(-commitsKept) });
  }

  async arrived(batch: readonly SkillExport[], { prepared, tree }: Built): Promise<void> {
    this.#carried.push(...batch);
    this.#tree = tree;
    if (prepared) {
      this.#tip = prepared.commit;
      this.#isPushed = true;
      const { counts } = this.#work;
      for (const step of batch)
        if (!this.#held.has(step)) {
          if (step.put) counts.exported++;
          else counts.removed++;
        }
    } else if (tree === this.#base.tree) return;
    const tip = this.#tip!;
    this.#next = { parent: tip, onto: { tip, parents: [tip] } };
  }

  /** Brings the books and the pull request to where the branch is now. */
  async settle(): Promise<void> {
    const { pulls } = this.#work;
    const { request, trouble, books } = this.#standing;
    if (!this.#isPushed) await this.#forgetGone();
    if (!this.#isPushed && this.#tree === this.#base.tree) {
      const { request: _over, digest: _none, words: _said, ...rest } = this.#books;
      this.#books = rest;
      // Before the request is closed: one that we close is nobody's answer to what it proposed.
      await this.#save({ state: "none", skills: 0, ...this.#seen() });
      if (pulls && request?.state === "open") await closeRequest(pulls, between(this.#work), request);
      if (trouble && books?.request?.state === "open") throw requestTrouble(trouble);
      return;
    }
    const proposed = { skills: this.#carried.length, digest: await this.#digest(), ...this.#known() };
    await this.#save({ state: request?.state === "open" ? "open" : "branch", ...proposed });
    if (!pulls) return;
    if (trouble) throw requestTrouble(trouble);
    try {
      const kept = await keepRequest(pulls, between(this.#work), {
        request,
        words: wordsOf(this.#carried, this.#facts.skills),
        written: this.#books.words ?? [],
        note: (words) => this.#save({ words }),
      });
      await this.#save({ state: "open", request: kept });
    } catch (error) {
      throw error instanceof RepoError ? requestTrouble(error) : error;
    }
  }

  async #trial(): Promise<Built> {
    const edits: MirrorEdit[] = [];
    for (const step of this.#wanted) edits.push(...(await editsOf(step, this.#facts)));
    edits.push({ kind: "index", data: this.#facts.index });
    const onto = { tip: this.#tip, parents: [this.#parent], isTrial: true };
    return this.#work.mirror.build(this.#parent, edits, commitInfo(this.#work, this.#wanted), onto);
  }

  /** What is known of the tip; one that others made and that has nothing of theirs is taken for ours from here on. */
  async #entryOf(tip: string, owner: TipOwner, isSame: boolean): Promise<ProposedCommit | undefined> {
    if (owner.kind === "ours") return owner.entry;
    if (owner.kind === "absent" || (owner.kind === "foreign" && !isSame)) return undefined;
    const isOnTop = await this.#work.mirror.descends(tip, this.#parent);
    const entry = {
      commit: tip,
      skills: owner.facts?.skills ?? null,
      builtOn: isOnTop ? this.#parent : null,
      base: isOnTop || isSame ? this.#base.skills : null,
    };
    this.#books.commits = [...this.#books.commits, entry].slice(-commitsKept);
    return entry;
  }

  /** Steps that the branch has taken already: not to be sent, and no news. */
  async #findHeld(tip: string): Promise<void> {
    const { mirror } = this.#work;
    if (!(await mirror.look(tip))) return;
    const { directories, gone } = await mirror.scan(tip, { since: this.#parent });
    const at = new Map(directories.map((directory) => [directory.path, directory]));
    const isGone = new Set(gone);
    for (const step of this.#wanted) {
      const { put, remove, after } = step;
      const there = put && at.get(put.path);
      const isPut = !put || (there?.contentTree === after?.contentTree && there?.svcBlob === after?.svcBlob);
      if (isPut && remove.every((place) => isGone.has(place))) this.#held.add(step);
    }
  }

  /** Before they can be taken up: what is proposed is known again, however late that is. */
  async #noteContents(batch: readonly SkillExport[]): Promise<void> {
    const { app, connection } = this.#work;
    const rows: SyncProposed[] = [];
    for (const { skillId, put, after } of batch) {
      if (!put || !after) continue;
      const known = this.#standing.rows.get(skillId);
      const contents = known?.contents ?? [];
      const content = { path: put.path, contentTree: after.contentTree };
      const last = contents.at(-1);
      if (last?.path === content.path && last.contentTree === content.contentTree) continue;
      const since = known?.since ?? this.#facts.bases.get(skillId)?.contentTree ?? null;
      rows.push({ skillId, since, contents: [...contents, content].slice(-contentsKept) });
    }
    await app.storage.syncProposed.putMany(connection, connection.lease!.fence, rows);
  }

  /** What a full sync has found missing is missing until the branch has it: it is news to every sync until then. */
  async #keepLooking(batch: readonly SkillExport[]): Promise<void> {
    const { app, connection } = this.#work;
    const rows = batch.flatMap(({ skillId, after }) => {
      const base = this.#facts.bases.get(skillId);
      const isNews =
        !base || !after || base.skillRevision !== after.skillRevision || base.path !== after.path;
      return isNews ? [] : [unseen(base)];
    });
    await app.storage.syncBases.putMany(connection, connection.lease!.fence, rows);
  }

  /** Of skills that were deleted before the branch ever had them: what was proposed of them is gone from ours by now. */
  async #forgetGone(): Promise<void> {
    const { app, connection } = this.#work;
    const { skills, bases } = this.#facts;
    const ids = [...this.#standing.rows.keys()].filter((id) => !skills.has(id) && !bases.has(id));
    await app.storage.syncProposed.removeMany(connection._id, connection.lease!.fence, ids);
  }

  async #digest(): Promise<string> {
    const parts = this.#wanted.map(({ skillId, put, remove, after }) => [
      skillId,
      put?.path ?? null,
      put ? (after?.contentTree ?? null) : null,
      put ? (after?.svcBlob ?? null) : null,
      ...remove,
    ]);
    parts.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
    return createHash("sha256").update(JSON.stringify(parts)).update(this.#facts.index).digest("hex");
  }

  #seen(): Partial<ProposalDoc> {
    return this.#tip === null ? {} : { commit: this.#tip };
  }

  /** With the request as the host tells of it. */
  #known(): Partial<ProposalDoc> {
    const { request } = this.#standing;
    if (!request) return this.#seen();
    const { number, url, state } = request;
    return { ...this.#seen(), request: { number, url, state } };
  }

  async #save(fields: Partial<ProposalDoc>): Promise<void> {
    this.#books = { ...this.#books, ...fields };
    if (!(await this.#work.app.storage.syncProposals.put(this.#books)))
      throw new RepoError("storage_unavailable", "another process works on this connection");
  }
}

function unseen(base: SyncBase): SyncBase {
  const { skillId, path, contentTree, svcBlob, version, strayPath, problem } = base;
  return {
    skillId,
    path,
    contentTree,
    skillRevision: unseenRevision,
    ...(version === undefined ? {} : { version }),
    ...(svcBlob === undefined ? {} : { svcBlob }),
    ...(strayPath === undefined ? {} : { strayPath }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** Back in push mode: closes what is open, since everything has been pushed; the branch stays as it is. */
export async function withdraw(work: SyncWork, { books }: Standing): Promise<void> {
  if (!books) return;
  const { app, connection, pulls } = work;
  if (pulls) {
    try {
      const request = await pulls.find(between(work));
      if (request?.state === "open") await closeRequest(pulls, between(work), request);
    } catch (error) {
      if (!(error instanceof RepoError) || error.retryable) throw error;
      app.log.warn({ error, connection: connection._id }, "a pull request could not be closed");
    }
  }
  await app.storage.syncProposals.remove(connection._id, connection.lease!.fence);
}
