"""Where the results of a job lie, and who may write them: folders, shared ones, and buckets."""
