-- The friendly views. Each joins through base.shown, so that a file shows one run of a kind; all_* show every run.

-- Which runs a file shows: the current one of a kind or, where there is none yet, the newest unfinished one.
-- A segmentation in the making is also the file's shots in the making.
create view base.shown as
select file_id, kind, run_id, false as incomplete from base.current
union all
select u.file_id, u.kind, u.run_id, true as incomplete
from (
    select file_id, kind, arg_max(run_id, (created_at, run_id)) as run_id
    from (
        select file_id, kind, run_id, created_at, state from base.runs
        union all
        select file_id, 'shots' as kind, run_id, created_at, state from base.runs where kind = 'segmentation'
    )
    where state not in ('completed', 'not_applicable')
    group by file_id, kind
) u
anti join base.current c on c.file_id = u.file_id and c.kind = u.kind;

create view base.places as
select file_id, arg_max(path, last_seen) as path from base.locations group by file_id;

create view main.files as
select f.file_id, f.filename, p.path, f.bytes, f.facts ->> 'media_type' as media_type,
    (f.facts ->> 'duration_seconds')::double as duration_seconds,
    (f.facts ->> 'width')::integer as width, (f.facts ->> 'height')::integer as height,
    f.facts ->> 'frame_rate' as frame_rate, (f.facts ->> 'has_audio')::boolean as has_audio,
    f.facts ->> 'video_codec' as video_codec, f.facts ->> 'audio_codec' as audio_codec,
    (f.facts ->> 'browser_playable')::boolean as browser_playable,
    s.title, s.summary, f.fingerprint, f.sha256, f.created_at, c.run_id
from base.files f
left join base.places p on p.file_id = f.file_id
left join base.current c on c.file_id = f.file_id and c.kind = 'summary'
left join base.file_summaries s on s.run_id = c.run_id;

create view main.all_speech as
select s.id as speech_id, s.file_id, f.filename, s.start_time, s.end_time, s.text, s.speaker, s.language,
    s.confidence, s.no_speech, s.run_id
from base.speech s join base.files f on f.file_id = s.file_id;
create view main.speech as
select a.*, v.incomplete from main.all_speech a
join base.shown v on v.run_id = a.run_id and v.file_id = a.file_id and v.kind = 'speech'
order by a.filename, a.file_id, a.start_time;

create view main.all_words as
select w.id as word_id, w.file_id, f.filename, w.start_time, w.end_time, w.word, w.confidence,
    s.id as speech_id, w.run_id
from base.words w
join base.files f on f.file_id = w.file_id
left join base.speech s on s.run_id = w.run_id and s.ordinal = w.speech_ordinal;
-- Words come unsorted: there are millions, and a view's order is paid for by every count.
create view main.words as
select a.*, v.incomplete from main.all_words a
join base.shown v on v.run_id = a.run_id and v.file_id = a.file_id and v.kind = 'speech';

create view main.all_scene_text as
select t.id as scene_text_id, t.file_id, f.filename, t.start_time, t.end_time, t.text, t.confidence,
    t.box_left, t.box_top, t.box_right, t.box_bottom, t.run_id
from base.scene_text t join base.files f on f.file_id = t.file_id;
create view main.scene_text as
select a.*, v.incomplete from main.all_scene_text a
join base.shown v on v.run_id = a.run_id and v.file_id = a.file_id and v.kind = 'scene_text'
order by a.filename, a.file_id, a.start_time;

create view main.all_segments as
select s.id as segment_id, s.file_id, f.filename, s.ordinal, s.start_time, s.end_time, s.run_id
from base.segments s join base.files f on f.file_id = s.file_id;
create view main.segments as
select a.segment_id, a.file_id, a.filename, a.ordinal, a.start_time, a.end_time, m.title, m.summary,
    a.run_id, v.incomplete
from main.all_segments a
join base.shown v on v.run_id = a.run_id and v.file_id = a.file_id and v.kind = 'segmentation'
left join base.shown w on w.file_id = a.file_id and w.kind = 'summary'
left join base.segment_summaries m on m.run_id = w.run_id and m.segment_id = a.segment_id
order by a.filename, a.file_id, a.start_time;

create view main.all_shots as
select s.id as shot_id, s.file_id, f.filename, s.ordinal as "index", s.start_time, s.end_time, s.run_id
from base.shots s join base.files f on f.file_id = s.file_id;
create view main.shots as
select a.*, v.incomplete from main.all_shots a
join base.shown v on v.run_id = a.run_id and v.file_id = a.file_id and v.kind = 'shots'
order by a.filename, a.file_id, a.start_time;

create view main.collections as
select c.collection_id, c.name, c.collection_type, c.description, c.created_at,
    case when c.name = 'all' then (select count(*) from base.files)
        else (select count(*) from base.memberships m where m.collection_id = c.collection_id) end as file_count
from base.collections c;

create view main.chats as
select chat_id, collection_id, created_at, question, answer, answered from base.chats;
create view main.citations as
select c.chat_id, c.ordinal, c.collection_id, c.file_id, f.filename, c.segment_id, c.start_time, c.end_time,
    c.text, c.context
from base.citations c left join base.files f on f.file_id = c.file_id;

create view main.runs as
select r.run_id, r.file_id, f.filename, r.kind, r.state, r.seconds, r.key,
    exists (select 1 from base.current c where c.run_id = r.run_id) as is_current,
    json_extract_string(r.provenance, '$.models.*.name') as model_names,
    json_extract_string(r.provenance, '$.models.*.checksum') as model_checksums,
    r.provenance ->> 'prompts' as prompt_hash, r.provenance ->> 'vidbench' as vidbench_version,
    r.provenance, r.key_parts, r.result, r.created_at, r.finished_at
from base.runs r left join base.files f on f.file_id = r.file_id;
create view main.jobs as
select j.job_id, j.operation, j.subject_id, j.subject_name, j.state, j.config, j.error, j.hint, j.result_id,
    (select count(*) from base.attempts a where a.job_id = j.job_id) as attempts,
    j.created_at, j.finished_at
from base.jobs j;
