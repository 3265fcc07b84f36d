-- The base tables. Times are seconds, created_at and other moments are Unix ms; ids are UUIDs as text.
create schema base;

create table base.meta (name varchar primary key, value varchar not null);

create table base.files (
    file_id varchar primary key,
    fingerprint varchar not null,
    sha256 varchar,
    filename varchar not null,
    bytes bigint not null,
    facts json not null,
    created_at bigint not null
);
create table base.locations (
    file_id varchar not null,
    path varchar not null,
    bytes bigint not null,
    mtime_ns bigint not null,
    last_seen bigint not null,
    primary key (file_id, path)
);

create table base.collections (
    collection_id varchar primary key,
    name varchar not null unique,
    collection_type varchar not null,
    description varchar,
    created_at bigint not null
);
create table base.memberships (
    collection_id varchar not null,
    file_id varchar not null,
    added_at bigint not null,
    primary key (collection_id, file_id)
);

create table base.jobs (
    job_id varchar primary key,
    operation varchar not null,
    subject_id varchar not null,
    subject_name varchar not null,
    config json not null,
    key varchar not null,
    state varchar not null,
    error varchar not null default '',
    error_kind varchar not null default '',
    hint varchar not null default '',
    result_id varchar not null default '',
    forgiven integer not null default 0,
    created_at bigint not null,
    finished_at bigint
);
create table base.attempts (
    job_id varchar not null,
    number integer not null,
    started_at bigint not null,
    ended_at bigint,
    outcome varchar,
    detail varchar,
    primary key (job_id, number)
);
create table base.job_runs (
    job_id varchar not null,
    ordinal integer not null,
    stage varchar not null,
    run_id varchar not null,
    primary key (job_id, ordinal)
);

create table base.runs (
    run_id varchar primary key,
    file_id varchar not null,
    kind varchar not null,
    key varchar not null,
    key_parts json not null,
    provenance json not null,
    state varchar not null,
    result json not null,
    seconds double not null default 0,
    kinds varchar not null default '',
    indexed boolean not null default false,
    created_at bigint not null,
    finished_at bigint
);
create table base.checkpoints (
    run_id varchar primary key,
    position json not null,
    progress double not null,
    result json not null
);
create table base.artifacts (
    run_id varchar not null,
    path varchar not null,
    kind varchar not null,
    bytes bigint not null,
    sha256 varchar not null,
    primary key (run_id, path)
);
create table base.current (
    file_id varchar not null,
    kind varchar not null,
    run_id varchar not null,
    primary key (file_id, kind)
);
create sequence base.outbox_numbers;
create table base.outbox (
    seq bigint primary key default nextval('base.outbox_numbers'),
    run_id varchar not null,
    action varchar not null
);

-- What stages find. These tables have no primary key on purpose: with two million rows an index makes a batch of 200
-- rows seven times slower (26 ms against 3.6 ms); the one writer leaves out ordinals that a run has already.
create table base.thumbnails (
    id varchar not null, run_id varchar not null, file_id varchar not null, ordinal integer not null,
    kind varchar not null, "time" double not null, path varchar not null, width integer not null, height integer not null
);
create table base.segments (
    id varchar not null, run_id varchar not null, file_id varchar not null, ordinal integer not null,
    start_time double not null, end_time double not null
);
create table base.shots (
    id varchar not null, run_id varchar not null, file_id varchar not null, ordinal integer not null,
    start_time double not null, end_time double not null
);
create table base.speech (
    id varchar not null, run_id varchar not null, file_id varchar not null, ordinal integer not null,
    start_time double not null, end_time double not null, text varchar not null, speaker varchar,
    language varchar not null, confidence double not null, no_speech double not null
);
create table base.words (
    id varchar not null, run_id varchar not null, file_id varchar not null, ordinal integer not null,
    speech_ordinal integer not null, word varchar not null, start_time double not null, end_time double not null,
    confidence double
);
create table base.scene_text (
    id varchar not null, run_id varchar not null, file_id varchar not null, ordinal integer not null,
    start_time double not null, end_time double not null, text varchar not null, confidence double not null,
    box_left double not null, box_top double not null, box_right double not null, box_bottom double not null
);
create table base.segment_summaries (
    id varchar not null, run_id varchar not null, file_id varchar not null, ordinal integer not null,
    segment_id varchar not null, start_time double not null, end_time double not null,
    title varchar not null, summary varchar not null, claims json not null
);
create table base.file_summaries (
    id varchar not null, run_id varchar not null, file_id varchar not null, ordinal integer not null,
    title varchar not null, summary varchar not null, claims json not null
);
create table base.passages (
    id varchar not null, run_id varchar not null, file_id varchar not null, ordinal integer not null,
    kind varchar not null, row_id varchar not null, text varchar not null,
    start_time double not null, end_time double not null
);

create table base.chats (
    chat_id varchar primary key,
    collection_id varchar not null,
    created_at bigint not null,
    question varchar not null,
    answer varchar not null,
    answered boolean not null,
    completion json not null
);
create table base.citations (
    chat_id varchar not null, ordinal integer not null, collection_id varchar not null, file_id varchar not null,
    segment_id varchar not null, start_time double not null, end_time double not null,
    text varchar not null, context varchar not null,
    primary key (chat_id, ordinal)
);
