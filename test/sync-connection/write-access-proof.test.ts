/** Proof that an organization has write access to a repository before it connects it by the App. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ConnectionPayload } from "../../contract/payloads/sync.ts";
import { proofTag } from "../../src/sync/connection/write-access-proof.ts";
import { newCustomer, setUpGitHub } from "../support/sync/set-up-github.ts";

const { service, stub } = await setUpGitHub({ proof: "tag" });

describe("the proof of write access to the App's repositories", () => {
  it("is a tag, and its error does not reveal whether the repository exists", async () => {
    const customer = await newCustomer(service);
    const repository = await stub.newRepository("acme/guarded", { installed: true });
    repository.repo.commit({ "a.txt": "1\n" });
    const connect = (name: string) =>
      service.call<ConnectionPayload>("POST", customer.base, {
        token: customer.owner.token,
        body: { host: "github-app", repository: name },
      });

    const present = await connect("acme/guarded");
    const absent = await connect("acme/unheard");
    const messageOf = (answer: typeof present, name: string) =>
      JSON.stringify([answer.status, answer.error, answer.details])
        .replaceAll(String(answer.details?.["tag"]), "TAG")
        .replaceAll(name, "NAME");
    assert.equal(present.details?.["reason"], "proof_needed");
    assert.equal(messageOf(present, "acme/guarded"), messageOf(absent, "acme/unheard"));

    const other = await newCustomer(service);
    stub.tag(repository, proofTag(service.app, other.org.id, "acme/guarded"));
    assert.equal(
      (await connect("acme/guarded")).code,
      "refused",
      "another organization's tag proves nothing",
    );
    stub.tag(repository, String(present.details?.["tag"]));
    assert.equal((await connect("acme/guarded")).status, 201);
  });
});
