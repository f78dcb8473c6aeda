// isomorphic-git, an implementation of Git in JavaScript.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';

import git from 'isomorphic-git';
import http from 'isomorphic-git/http/node';

const origin = process.env.FORGEWRIGHT_URL;
const author = { name: 'Alice', email: 'alice@example.com' };
const onAuth = () => ({ username: 'x-access-token', password: 'alice-classic' });

const folder = (context) => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'isomorphic-'));
    context.after(() => fs.rmSync(dir, { recursive: true }));
    return dir;
};

const fsck = (dir) => execFileSync('git', ['fsck', '--strict'], { cwd: dir, stdio: 'pipe' });

const clone = async (context, repository, options = {}) => {
    const dir = folder(context);
    const url = `${origin}/${repository}.git`;
    await git.clone({ fs, http, dir, url, singleBranch: false, ...options });
    fsck(dir);
    return dir;
};

const commit = async (dir, name, text) => {
    fs.writeFileSync(path.join(dir, name), text);
    await git.add({ fs, dir, filepath: name });
    return git.commit({ fs, dir, message: 'Change', author });
};

test('clone, push and fetch', async (context) => {
    const first = await clone(context, 'acme/gadgets');
    const second = await clone(context, 'acme/gadgets');
    const sha = await commit(first, 'isomorphic.txt', 'new\n');
    const report = await git.push({ fs, http, dir: first, ref: 'main', remoteRef: 'refs/heads/isomorphic', onAuth });
    assert.equal(report.ok, true);
    await git.fetch({ fs, http, dir: second, singleBranch: false });
    assert.equal(await git.resolveRef({ fs, dir: second, ref: 'refs/remotes/origin/isomorphic' }), sha);
    fsck(second);
});

test('force push and deletion', async (context) => {
    const dir = await clone(context, 'acme/gadgets');
    const push = (options) => git.push({ fs, http, dir, ref: 'main', remoteRef: 'refs/heads/moved', onAuth, ...options });
    await commit(dir, 'moved.txt', 'one\n');
    await push({});
    await git.commit({ fs, dir, message: 'Another', author, amend: true });
    assert.equal((await push({ force: true })).ok, true);
    assert.equal((await push({ delete: true })).ok, true);
    const heads = await git.listServerRefs({ http, url: `${origin}/acme/gadgets.git`, prefix: 'refs/heads/' });
    assert.ok(heads.some((head) => head.ref === 'refs/heads/main'));
    assert.ok(!heads.some((head) => head.ref === 'refs/heads/moved'));
});

test('a shallow clone', async (context) => {
    const dir = await clone(context, 'acme/gadgets', { depth: 1, singleBranch: true });
    assert.equal((await git.log({ fs, dir })).length, 1);
});

test('a private repository needs a token', async (context) => {
    await assert.rejects(clone(context, 'acme/widgets'), /401/);
    await clone(context, 'acme/widgets', { onAuth });
});

test('a rejected push is reported', async (context) => {
    const dir = await clone(context, 'acme/gadgets');
    const push = git.push({ fs, http, dir, ref: 'main', remoteRef: 'refs/pull/7/head', onAuth, force: true });
    await assert.rejects(push, /deny updating a hidden ref/);
});
