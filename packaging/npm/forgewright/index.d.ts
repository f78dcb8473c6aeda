import type { Clock, Deliveries, Faults, Journal, Snapshots } from "./parts.js";

export type * from "./parts.js";

/** A server could not be started or reached, or the control API refused a request. The message says what to do. */
export class ForgewrightError extends Error {
  /** The HTTP status of the control API's response, if the error is one. */
  status?: number;
}

/** The version of this package and of its binary. */
export const version: string;

/** A token of a world. */
export interface Token {
  /** The value of the token, for the `Authorization` header. */
  value: string;
  /** The kind of token. */
  kind: "classic" | "fine_grained" | "oauth" | "app_user" | "installation";
  /** The holder of the token: the login of a user, or `ci-bot on acme` for an installation. */
  holder: string;
  /** The purpose or the permissions of the token. */
  description: string;
}

/** An app of a world. */
export interface App {
  /** The identifier of the app. */
  id: number;
  /** The name of the app in paths. */
  slug: string;
  /** The client ID of the app, which is the issuer of its JSON web tokens. */
  client_id: string;
  /** The path of the file with the private key. `null` if the key is not in a local file. */
  private_key_file: string | null;
  /** The private key in PEM: the demo key, or the key in `private_key_file`. `null` if it is not known. */
  private_key: string | null;
}

/** An isolated world, with its own data, tokens, rate limits, webhooks and clock. `await using` deletes it. */
export class World implements AsyncDisposable {
  private constructor();
  /** The name of the world. `main` is the world that the server was started with. */
  readonly name: string;
  /** The base URL for clients, without a trailing slash. */
  readonly url: string;
  /** The tokens whose values are known. */
  readonly tokens: readonly Token[];
  /** The apps, with their private keys where they are known. */
  readonly apps: readonly App[];
  /** The clock: freezes, sets or advances the time of the world. */
  readonly clock: Clock;
  /** The journal: the requests to the world, with explanations of their responses. */
  readonly journal: Journal;
  /** The faults: rules that make requests fail. */
  readonly faults: Faults;
  /** The webhook deliveries. */
  readonly deliveries: Deliveries;
  /** The saved states of the world. */
  readonly snapshots: Snapshots;
  /**
   * Returns the value of the first token of a holder.
   * @param holder The login of a user, or `ci-bot on acme` for an installation.
   * @throws {ForgewrightError} If the world has no such token. The message lists the holders.
   */
  token(holder: string): string;
  /**
   * Returns the app with this slug.
   * @throws {ForgewrightError} If the world has no such app. The message lists the apps.
   */
  app(slug: string): App;
  /**
   * Restores the state after loading. Also resets the rate limits and the clock, deletes the faults and the journal,
   * cancels deliveries in progress and resumes paused ones.
   */
  reset(): Promise<void>;
  /**
   * Returns the contents of the world with their identifiers: a page of each kind.
   * @param page The number of results per page (`per_page`) and the number of the page (`page`).
   */
  contents(page?: { per_page?: number; page?: number }): Promise<WorldContents>;
  /**
   * Deletes the world and all of its data. Does nothing if the world no longer exists.
   * @throws {ForgewrightError} If the world is `main`, which exists until the server stops.
   */
  delete(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The contents of a world: a page of each kind. */
export interface WorldContents {
  /** Users, organizations and the bots of apps. */
  accounts: { id: number; login: string; kind: "user" | "organization" | "bot" }[];
  /** The members of organizations. */
  members: { organization: string; user: string; role: "member" | "admin" }[];
  repositories: { id: number; full_name: string; visibility: "public" | "private" | "internal"; default_branch: string }[];
  /** The collaborators of repositories. */
  collaborators: { repository: string; user: string; permission: "read" | "triage" | "write" | "maintain" | "admin" }[];
  /** The issues of all repositories, without pull requests. */
  issues: { id: number; repository: string; number: number; title: string }[];
  /** The pull requests of all repositories. */
  pull_requests: { id: number; repository: string; number: number; title: string }[];
  /** The projects of organizations and users. */
  projects: { id: number; owner: string; number: number; title: string }[];
  apps: {
    id: number;
    slug: string;
    client_id: string;
    webhook_url?: string;
    webhook_content_type: "json" | "form";
    webhook_signed: boolean;
    webhook_ssl_verified: boolean;
    permissions: Record<string, string>;
    events: string[];
  }[];
  installations: {
    id: number;
    app: string;
    account: string;
    repository_selection: "all" | "selected";
    permissions: Record<string, string>;
    events: string[];
    created_at: string;
    suspended_at?: string;
    suspended_by?: string;
  }[];
  /** The repositories of the installations whose `repository_selection` is `selected`. */
  installation_repositories: { installation_id: number; repository: string }[];
  /** The tokens, with their values if this server process loaded them from a world file. */
  tokens: {
    id: number;
    kind: string;
    holder: string;
    value?: string;
    scopes: string[];
    permissions: Record<string, string>;
    repository_selection?: "all" | "public" | "selected";
  }[];
  /** The repositories of the tokens whose `repository_selection` is `selected`. */
  token_repositories: { token_id: number; repository: string }[];
  /** Whether the next page has more of any kind. */
  more: boolean;
}

/** The options of a new world. At most one of `template`, `world` and `copyOf` can be given. */
export interface WorldOptions {
  /** The name of the world in its URL. If omitted, a random name. */
  name?: string;
  /** The template: `demo`, `empty`, or `main` (the default) for the data that the server loaded when it started. */
  template?: "main" | "demo" | "empty";
  /** The world file, as its path, its text or an object. */
  world?: string | object;
  /** The world whose current state is copied, or its name. */
  copyOf?: string | World;
}

/**
 * A running server and its world `main`. It runs until it is stopped or this process ends. Its folder is then
 * removed, unless a signal killed this process. `await using` stops it.
 */
export interface Forge extends World {
  /** The path of the certificate to trust, if the server has its own certificate authority. */
  readonly authority: string | null;
  /**
   * Creates an isolated world. By default, it has the data that the server loaded when it started.
   * @throws {ForgewrightError} If the options or the world file are invalid.
   * @throws {TypeError} If an option is unknown.
   */
  world(options?: WorldOptions): Promise<World>;
  /** Returns all worlds of the server. */
  worlds(): Promise<{ name: string; url: string; created_at: string }[]>;
  /** Stops the server and removes its folder. A server of `connect` keeps running. */
  stop(): Promise<void>;
}

/** The options of a server. */
export interface StartOptions {
  /** The world file, as its path, its text or an object. If omitted, the server loads the demo world. */
  world?: string | object;
  /** Additional flags of `forgewright serve`. */
  args?: readonly string[];
  /** Environment variables of the server. From this process it inherits only `PATH` and `TMPDIR`. */
  env?: Readonly<Record<string, string>>;
  /** The address to listen on. Default: a free port of `127.0.0.1`. */
  listen?: string;
  /** The parent folder for the server's own folder. Default: the system's folder for temporary files. */
  folder?: string;
  /** The path of the binary. Default: `FORGEWRIGHT_BINARY` if it is set, otherwise the binary of this package. */
  binary?: string;
  /** The maximum time to start, in milliseconds. Default: 30,000. */
  timeout?: number;
}

/**
 * Starts a server with the control API on a free port, and waits until it listens.
 * @throws {ForgewrightError} If the server does not start. The message is the server's own, if it has one.
 * @throws {TypeError} If an option is unknown.
 */
export function start(options?: StartOptions): Promise<Forge>;

/**
 * Connects to a running server through its control API.
 * @param url The URL of the server.
 * @param options The control token (`token`, by default `FORGEWRIGHT_CONTROL_TOKEN`), and the path of the
 * certificate to trust (`authority`).
 * @throws {ForgewrightError} If the server does not respond, has no control API, or refuses the token.
 */
export function connect(url: string, options?: { token?: string; authority?: string }): Promise<Forge>;
